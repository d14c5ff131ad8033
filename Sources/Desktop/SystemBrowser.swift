package import Core
package import FoundationEssentials
import Unix

/// Opens a person's browser.
package protocol BrowserOpening: Sendable {
  /// Opens a URL in the browser and returns without waiting for the person.
  func open(_ url: URL, onStart: @escaping @Sendable () -> Void) async throws(Failure) -> String
}

extension BrowserOpening {
  /// Opens a URL in the browser and returns without waiting for the person.
  package func open(_ url: URL) async throws(Failure) -> String { try await open(url, onStart: {}) }
}

extension FailureReason {
  /// The user closed the desktop's question which program opens the page.
  package static let browserDismissed: Self = "browser_dismissed"
  /// There is no display, and no `$BROWSER` to forward to.
  package static let noDisplay: Self = "no_display"
}

extension Failure {
  /// The URL must not be opened, or every program that was tried is missing or failed.
  private static func notOpened(_ why: String, hint: Hint? = nil) -> Failure {
    Failure(.internalError, .browserNotOpened, why, hint: hint)
  }

  package static func noDisplay(_ session: String) -> Failure {
    Failure(.internalError, .noDisplay, "this is \(session)")
  }

  package static func noSuchCommand(_ program: String) -> Failure {
    notOpened("there is no program \(program.printable(limit: 100))", hint: .checkBrowser)
  }

  static let dismissed = Failure(
    .userCanceled,
    .browserDismissed,
    "the desktop's question which program opens the page was closed",
    hint: "\(signIn: []) and choose a browser"
  )

  static func noOpener(_ failures: [String]) -> Failure {
    notOpened(failures.isEmpty ? "no program opens addresses here" : failures.joined(separator: "; "))
  }

  static func refused(_ why: String) -> Failure { notOpened(why) }
}

/// The person's own browser, opened by the first program of this system that succeeds.
package struct SystemBrowser: BrowserOpening {
  private let command: String?
  private let environment: [String: String]
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
    self.session = session
    self.failureTimeout = failureTimeout
  }

  /// Whether a string is the command of a browser: whether there is a program in it, and each quote is closed.
  package static func isCommand(_ command: String) -> Bool { BrowserCommand(command) != nil }

  /// A program that may open addresses.
  package struct Program: Sendable, Equatable {
    package let name: String
    /// Where it is; nil when there is none.
    package let path: String?
    /// Whether the person chose it, by a setting or `$BROWSER`.
    package let isChosen: Bool
  }

  /// The programs that ``open(_:)`` tries, in this order.
  package func programs() async throws(Failure) -> [Program] {
    let chosen = try chosenCommands()
    return try await openers().map { opener in
      switch opener {
      case .command(let command, let path):
        Program(name: command.program, path: path, isChosen: chosen.contains(command))
      case .portal(let portal): Program(name: DesktopPortal.name, path: portal.bus, isChosen: false)
      }
    }
  }

  package func open(_ url: URL, onStart: @escaping @Sendable () -> Void) async throws(Failure) -> String {
    let address = try WebURL(opening: url)
    var failures: [String] = []
    for opener in try await openers() {
      let (name, outcome): (String, LaunchOutcome)
      switch opener {
      case .portal(let portal):
        (name, outcome) = (DesktopPortal.name, await portal.open(address, timeout: failureTimeout))
      case .command(let command, nil):
        (name, outcome) = (command.program.printable(limit: 60), .failed("not found"))
      case .command(let command, let path?):
        name = command.program.printable(limit: 60)
        outcome = await launchDetached(
          path,
          command.arguments(for: address),
          environment: environment,
          failureTimeout: failureTimeout,
          onStart: onStart
        )
      }
      switch outcome {
      case .started: return name
      case .failed(let reason): failures.append("\(name): \(reason)")
      // Another opener would ask again, or open what the person did not want.
      case .dismissed: throw .dismissed
      }
    }
    throw .noOpener(failures)
  }

  /// What may open an address.
  private enum Opener {
    /// A program, and its file if there is one.
    case command(BrowserCommand, path: String?)
    case portal(DesktopPortal)
  }

  /// What to try, in this order.
  private func openers() async throws(Failure) -> [Opener] {
    let (chosen, system) = (try chosenCommands(), session.canShowBrowser ? systemCommands() : [])
    let path = environment["PATH"]
    func found(_ commands: [BrowserCommand]) async -> [Opener] {
      await BackgroundThread.run { _ in
        commands.map { .command($0, path: findProgram($0.program, path: path)) }
      }
    }
    var openers = await found(chosen)
    // Another browser than the chosen one may be the wrong one.
    if command != nil, case .command(let missing, path: nil)? = openers.first { throw .noSuchCommand(missing.program) }
    let portal = await BackgroundThread.run { [environment] _ in DesktopPortal(environment: environment) }
    let asksPortal = session.canShowBrowser && portal.isReachable
    // A sandbox has no browser of its own; a container that shares the session's bus may have one.
    if asksPortal, session.sandbox != nil { openers.append(.portal(portal)) }
    openers += await found(system)
    if asksPortal, session.sandbox == nil, session.isContainer { openers.append(.portal(portal)) }
    guard !openers.isEmpty else { throw .noDisplay(session.kind) }
    return openers
  }

  /// The person's choice: `--browser` before `$BROWSER`.
  ///
  /// It is used in any kind of session, since a command may forward the address to another computer, as Visual Studio
  /// Code's does. `xdg-open` reads `$BROWSER` too, but not on every desktop: under GNOME it ignores the variable.
  private func chosenCommands() throws(Failure) -> [BrowserCommand] {
    let fromVariable = BrowserCommand.list(environment["BROWSER"] ?? "")
    guard let command else { return fromVariable }
    guard let chosen = BrowserCommand(command) else {
      throw .noOpener(["the command has no program in it, or a quote that is not closed"])
    }
    return [chosen] + fromVariable
  }

  /// The openers of this kind of session.
  private func systemCommands() -> [BrowserCommand] {
    var commands: [BrowserCommand] = []
    if session.hasDisplay {
      commands += [
        BrowserCommand("xdg-open"), BrowserCommand("gio", ["open"]), BrowserCommand("x-www-browser"),
        BrowserCommand("sensible-browser"),
      ]
    }
    if session.isWSL {
      // rundll32 takes the address as one argument; PowerShell, which wslview runs, and cmd.exe would interpret it as
      // code. Where Windows' directories are not in PATH (wsl.conf: appendWindowsPath), it is at its usual path.
      let arguments = ["url.dll,FileProtocolHandler"]
      commands += [
        BrowserCommand("rundll32.exe", arguments),
        BrowserCommand("/mnt/c/Windows/System32/rundll32.exe", arguments), BrowserCommand("wslview"),
      ]
    }
    return commands
  }
}

extension WebURL {
  /// Checks a URL that is passed to another program, whatever was checked before.
  ///
  /// Openers are shell scripts, and an authorization endpoint may come from anybody's metadata (CVE-2025-6514).
  init(opening url: URL) throws(Failure) {
    // Never an option: it begins with a lower-case scheme.
    let string = url.absoluteString
    guard string.hasPrefix("https://") || string.hasPrefix("http://") else {
      throw .refused("only https addresses are opened, not \(string.printable(limit: 60))")
    }
    do {
      try self.init(string, .browser)
    } catch {
      throw .refused("the address \(error.reason)")
    }
  }
}
