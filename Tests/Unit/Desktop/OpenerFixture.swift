import TestSupport
import Testing

@testable import MSAuthDesktop

/// A temporary directory with shell scripts as openers, in its own `PATH`.
final class OpenerFixture: Sendable {
  private let home: Home
  var folder: URL { home.folder.appending(path: "data") }

  init() throws { home = try Home() }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  /// Writes a script; `$HERE` in it is this directory.
  func script(_ name: String, _ body: String) throws {
    let text = "#!/bin/sh\nPATH=/usr/bin:/bin\nHERE='\(folder.path)'\n\(body)\n"
    try text.write(toFile: path(name), atomically: true, encoding: .utf8)
    chmod(path(name), 0o755)
  }

  /// A script that records its arguments, one per line.
  func opener(_ name: String, then: String = "") throws {
    try script(
      name,
      "printf '%s\\n' \"$@\" > \"$HERE/\(name).tmp\" && mv \"$HERE/\(name).tmp\" \"$HERE/\(name).args\"\n\(then)"
    )
  }

  func text(_ name: String) -> String? { try? String(contentsOfFile: path(name), encoding: .utf8) }

  /// An opener's arguments; `nil` if it wasn't started.
  func arguments(_ name: String) -> [String]? {
    text(name + ".args").map { $0.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }
  }

  func waitFor(_ name: String) async throws {
    try await eventually("the file \(name)") { access(path(name), F_OK) == 0 }
  }

  /// A browser that finds only this directory's programs; scripts use the system's through `/bin/sh`.
  func browser(
    _ command: String? = nil,
    _ extra: [String: String] = ["DISPLAY": ":9"],
    file: (String) -> String? = { _ in nil },
    failureTimeout: Duration = .seconds(120)
  ) -> SystemBrowser {
    let environment = ["PATH": folder.path].merging(extra) { $1 }
    let session = DesktopSession(environment: environment, file: file, effectiveUser: 1000)
    return SystemBrowser(command: command, environment: environment, session: session, failureTimeout: failureTimeout)
  }
}

/// The error of an address that must not open.
func failure(_ browser: SystemBrowser, _ url: URL) async -> AuthenticationError? {
  await #expect(throws: AuthenticationError.self) { try await browser.open(url) }
}
