import Core
package import FoundationEssentials

/// The person's own browser, opened by whichever program this system has for it.
package struct SystemBrowser: BrowserOpening {
  private let command: String?
  private let environment: [String: String]
  private let session: DesktopSession
  private let patience: Duration

  /// Describes how to open the browser; nothing is started yet.
  ///
  /// - Parameters:
  ///   - command: The person's choice (`--browser`), `%s` in it standing for the address.
  ///   - environment: Read for `BROWSER` and `PATH`, and given to the program, `XDG_ACTIVATION_TOKEN` included.
  ///   - session: Where the program would run.
  ///   - patience: How long an opener is watched. Those that fail do so at once; those that stay have a browser.
  package init(
    command: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    session: DesktopSession,
    patience: Duration = .seconds(2)
  ) {
    self.command = command
    self.environment = environment
    self.session = session
    self.patience = patience
  }

  package func open(_ url: URL) async throws(BrowserError) -> String {
    let address = try BrowserAddress(url)
    let chosen = try OpenerOrder.chosen(command: command, environment: environment)
    let usual = session.canShowBrowser ? OpenerOrder.usual(session, environment: environment) : []
    guard !(chosen + usual).isEmpty else { throw .noDisplay(session.kind) }

    var failures: [String] = []
    for candidate in chosen + usual {
      guard let program = candidate.words.first else { continue }
      guard let path = ProgramSearch.find(program, path: environment["PATH"]) else {
        failures.append("\(program.printable(limit: 60)): not found")
        continue
      }
      let arguments = candidate.arguments(for: address)
      switch await launchDetached(path, arguments, environment: environment, patience: patience) {
      case .taken: return program.printable(limit: 60)
      case .failed(let reason): failures.append("\(program.printable(limit: 60)): \(reason)")
      }
    }
    throw .noOpener(failures)
  }
}
