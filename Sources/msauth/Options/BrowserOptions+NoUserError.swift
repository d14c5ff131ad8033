import FoundationEssentials
import Glibc
import MSAuth
import MSAuthDesktop

extension BrowserOptions {
  /// Why no user can sign in here: there is no terminal, no display and no request for the address.
  ///
  /// With `forProgram`, standard input belongs to a program, not to a user.
  func noUserError(browser: String?, forProgram: Bool = false) -> AuthenticationError? {
    let environment = ProcessInfo.processInfo.environment
    let hasTerminal = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].contains { isatty($0) == 1 }
    let isBrowserChosen = browser != nil || SystemBrowser.isChosen(in: environment)
    guard !hasTerminal, use != .report, !isBrowserChosen else { return nil }
    let session = DesktopSession(environment: environment)
    guard !session.mayHaveUser, session.isCI || forProgram || inputIsNull else { return nil }
    let message = "can't sign in here: there is no terminal and no display"
    let other = forProgram ? "" : ", or with --no-browser to print the address and wait"
    let hint: Hint = "run \(command: Invocation.deviceLogin)\(other)"
    return AuthenticationError(.interactionRequired, message, reason: "no_user", hint: hint)
  }

  /// Whether standard input is closed or `/dev/null`, as for a timer or a service.
  private var inputIsNull: Bool {
    var (input, null) = (stat(), stat())
    return fstat(STDIN_FILENO, &input) != 0
      || stat("/dev/null", &null) == 0 && input.st_mode & S_IFMT == S_IFCHR && input.st_rdev == null.st_rdev
  }
}
