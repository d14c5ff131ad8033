package import FoundationEssentials
package import MSAuthCore
import MSAuthUnix

/// Opens the browser of a sign-in or a sign-out.
package protocol BrowserOpening: Sendable {
  /// Opens a URL without waiting for the user; returns the program's name.
  ///
  /// A program that fails after the browser `requested` the URL has succeeded, so no other is tried.
  func open(_ url: URL, until requested: OneShot<Void>) async throws(AuthenticationError) -> String
}

extension AuthenticationError.Reason {
  /// The user closed the desktop's dialog for choosing a browser.
  package static let browserDismissed: Self = "browser_dismissed"
  /// There is no display, and no `$BROWSER`.
  package static let noDisplay: Self = "no_display"
}

extension AuthenticationError {
  static func notOpened(_ why: String, hint: Hint? = nil) -> AuthenticationError {
    AuthenticationError(.internalError, why, reason: .browserNotOpened, hint: hint)
  }

  static func noDisplay(_ session: String) -> AuthenticationError {
    AuthenticationError(.internalError, "this is \(session)", reason: .noDisplay)
  }

  static let dismissed = AuthenticationError(
    .userCanceled,
    "the desktop's dialog for choosing a browser was closed",
    reason: .browserDismissed,
    hint: "\(signIn: []) and choose a browser"
  )
}

/// The user's browser, opened by the first program that succeeds.
package struct SystemBrowser: BrowserOpening {
  private let command: String?
  private let environment: [String: String]
  private let openerEnvironment: [String: String]
  private let session: DesktopSession
  private let failureTimeout: Duration

  package init(
    command: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    session: DesktopSession,
    failureTimeout: Duration = .seconds(2)
  ) {
    self.command = command
    self.environment = environment
    // An opener such as xdg-open runs `$BROWSER`, which may be itself or may start it again; its entries are tried here.
    openerEnvironment = environment.filter { $0.key != "BROWSER" }
    self.session = session
    self.failureTimeout = failureTimeout
  }

  /// Whether the command contains a program and every quote is closed.
  package static func isCommand(_ command: String) -> Bool { BrowserCommand(command) != nil }

  /// Whether `$BROWSER` names a browser.
  package static func isChosen(in environment: [String: String]) -> Bool { !variableCommands(environment).isEmpty }

  /// A program that may open addresses.
  package struct Program: Sendable, Equatable {
    package let name: String
    /// `nil` if it doesn't exist.
    package let path: String?
    /// Whether a setting or `$BROWSER` names it.
    package let isChosen: Bool
  }

  /// The programs that ``open(_:until:)`` tries, in order.
  package func programs() async throws(AuthenticationError) -> [Program] {
    let chosen = try chosenCommands()
    return try await openers().map { opener in
      switch opener {
      case .command(let command, let path):
        Program(name: command.program, path: path, isChosen: chosen.contains(command))
      case .portal(let portal): Program(name: DesktopPortal.name, path: portal.bus, isChosen: false)
      }
    }
  }

  package func open(
    _ url: URL,
    until requested: OneShot<Void> = OneShot()
  ) async throws(AuthenticationError) -> String {
    let address = try WebURL(opening: url)
    var failures: [String] = []
    for opener in try await openers() {
      let (name, outcome): (String, LaunchOutcome)
      switch opener {
      case .portal(let portal):
        (name, outcome) = (DesktopPortal.name, await portal.open(address, timeout: failureTimeout))
      case .command(let command, nil):
        (name, outcome) = (command.program.printable(limit: 60), .failed(notFound))
      case .command(let command, let path?):
        name = command.program.printable(limit: 60)
        let words = command.arguments(for: address)
        outcome = await launchDetached(path, words, environment: openerEnvironment, failureTimeout: failureTimeout)
      }
      switch outcome {
      case .started: return name
      case .failed(let reason):
        if await opener.hasOpened(requested) { return name }
        failures.append("\(name): \(reason)")
      // Another opener would prompt again, or open an unwanted program.
      case .dismissed: throw .dismissed
      }
    }
    let why = failures.isEmpty ? "no program opens addresses here" : failures.joined(separator: "; ")
    throw .notOpened(why, hint: command == nil ? nil : .checkBrowser)
  }

  private enum Opener {
    case command(BrowserCommand, path: String?)
    case portal(DesktopPortal)

    /// Whether the page was requested although the program failed: explorer.exe always fails, before its browser starts.
    func hasOpened(_ requested: OneShot<Void>) async -> Bool {
      if case .command(_, _?) = self {
        _ = try? await withTimeout(SystemBrowser.requestTimeout) { try await requested.value() }
      }
      return requested.current != nil
    }
  }

  /// Long enough for a running browser to request a page.
  private static let requestTimeout: Duration = .seconds(1)

  private func openers() async throws(AuthenticationError) -> [Opener] {
    try await BackgroundThread.run { _ throws(AuthenticationError) in try findOpeners() }
  }

  private func findOpeners() throws(AuthenticationError) -> [Opener] {
    func found(_ commands: [BrowserCommand]) -> [Opener] {
      commands.map { .command($0, path: findProgram($0.program, path: environment["PATH"])) }
    }
    let chosen = found(try chosenCommands())
    // If the chosen browser is missing, fail instead of opening a different browser.
    if command != nil, case .command(let missing, path: nil)? = chosen.first {
      throw .notOpened(commandNotFound(missing.program), hint: .checkBrowser)
    }
    let portal = DesktopPortal(environment: environment)
    let portals: [Opener] = session.canShowBrowser && portal.bus != nil ? [.portal(portal)] : []
    let system = session.canShowBrowser ? found(systemCommands()) : []
    // A sandbox has no browser; a container that shares the session bus may have one.
    let openers = chosen + (session.sandbox != nil ? portals + system : system + (session.isContainer ? portals : []))
    guard !openers.isEmpty else { throw .noDisplay(session.kind) }
    return openers
  }

  /// `--browser`, then `$BROWSER`, which may forward the address to another computer, as Visual Studio Code's does.
  private func chosenCommands() throws(AuthenticationError) -> [BrowserCommand] {
    let fromVariable = Self.variableCommands(environment)
    guard let command else { return fromVariable }
    guard let chosen = BrowserCommand(command) else {
      throw .notOpened("the command contains no program, or a quote that isn't closed", hint: .checkBrowser)
    }
    return [chosen] + fromVariable
  }

  /// The commands of `$BROWSER` apart from xdg-open, which isn't a browser and would run `$BROWSER`.
  private static func variableCommands(_ environment: [String: String]) -> [BrowserCommand] {
    let path = environment["PATH"]
    let opener = findProgram("xdg-open", path: path).map(resolved)
    return BrowserCommand.list(environment["BROWSER"] ?? "").filter { command in
      guard let program = findProgram(command.program, path: path).map(resolved) else { return true }
      return opener.map(program.isIdentical) != true && !program.hasSuffix("/xdg-open")
    }
  }

  private func systemCommands() -> [BrowserCommand] {
    let desktop: [BrowserCommand] = [
      BrowserCommand("xdg-open"), BrowserCommand("gio", ["open"]), BrowserCommand("x-www-browser"),
      BrowserCommand("sensible-browser"),
    ]
    // rundll32 takes the address as one argument; PowerShell, which wslview runs, and cmd.exe would interpret it as code.
    // Windows' directories may be missing in PATH (wsl.conf: appendWindowsPath).
    let arguments = ["url.dll,FileProtocolHandler"]
    let windows: [BrowserCommand] = [
      BrowserCommand("rundll32.exe", arguments),
      BrowserCommand("/mnt/c/Windows/System32/rundll32.exe", arguments), BrowserCommand("wslview"),
    ]
    return (session.hasDisplay ? desktop : []) + (session.isWSL ? windows : [])
  }
}

extension WebURL {
  /// Checks a URL for another program: openers are shell scripts, and metadata is untrusted (CVE-2025-6514).
  init(opening url: URL) throws(AuthenticationError) {
    // Never an option: it begins with a lowercase scheme.
    let string = url.absoluteString
    guard string.hasPrefix("https://") || string.hasPrefix("http://") else {
      throw .notOpened("only https addresses are opened, not \(string.printable(limit: 60))")
    }
    try self.init(string, .browser) { .notOpened("the address \($0)") }
  }
}
