import FoundationEssentials
import Glibc
import MSAuth
import MSAuthDesktop

/// Whether a sign-in is possible: the command may sign in, and a user is present.
struct SignInAvailability {
  /// How to sign in; `nil` if the command may not.
  let interaction: Interaction?
  /// Why no user can sign in here; `nil` if a user is here, or if the command may not sign in.
  let noUserError: AuthenticationError?

  /// With `inputIsData`, standard input belongs to a program, not to a user.
  init(_ interaction: Interaction?, browser: String?, usesBroker: Bool = false, inputIsData: Bool) {
    self.interaction = interaction
    // A broker opens its own window, and a user agent's user is at another computer.
    if let interaction, interaction.userAgent == nil, !usesBroker {
      noUserError = Self.missingUserError(browser: browser, interaction.browserUse, inputIsData: inputIsData)
    } else {
      noUserError = nil
    }
  }

  /// Throws if no user can sign in here; a device code needs no user.
  func requireUser() throws(AuthenticationError) { if let noUserError { throw noUserError } }

  /// How to sign in if a user is here.
  var usableInteraction: Interaction? { noUserError == nil ? interaction : nil }

  /// Runs the work, without the interaction if no user can sign in here; then a sign-in error also explains why.
  func run<Value>(
    _ work: (Interaction?) async throws(AuthenticationError) -> Value
  ) async throws(AuthenticationError) -> Value {
    do throws(AuthenticationError) {
      return try await work(usableInteraction)
    } catch {
      throw explained(error)
    }
  }

  /// Adds why no user can sign in here, if a sign-in is needed.
  func explained(_ error: AuthenticationError) -> AuthenticationError {
    guard let noUserError, error.needsSignIn else { return error }
    return error.with { ($0.message, $0.hint) = ("\(error.message); \(noUserError.message)", noUserError.hint) }
  }

  /// The error if there is neither a terminal nor a display, and no option or setting chooses a browser.
  static func missingUserError(browser: String?, _ use: BrowserUse, inputIsData: Bool = false) -> AuthenticationError? {
    let environment = ProcessInfo.processInfo.environment
    let hasTerminal = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].contains { isatty($0) == 1 }
    let isBrowserChosen = browser != nil || SystemBrowser.isChosen(in: environment)
    guard !hasTerminal, use != .report, !isBrowserChosen else { return nil }
    let desktop = DesktopSession(environment: environment)
    guard !desktop.mayHaveUser, desktop.isCI || inputIsData || inputIsNull else { return nil }
    let message = "can't sign in here: there is no terminal and no display"
    let other = inputIsData ? "" : ", or with --no-browser to print the address and wait"
    let hint: Hint = "run \(command: Invocation.deviceLogin)\(other)"
    return AuthenticationError(.interactionRequired, message, reason: "no_user", hint: hint)
  }

  /// Whether standard input is closed or `/dev/null`, as for a timer or a service.
  private static var inputIsNull: Bool {
    var (input, null) = (stat(), stat())
    return fstat(STDIN_FILENO, &input) != 0
      || stat("/dev/null", &null) == 0 && input.st_mode & S_IFMT == S_IFCHR && input.st_rdev == null.st_rdev
  }
}
