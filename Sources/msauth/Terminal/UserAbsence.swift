import Glibc
import MSAuth
import MSAuthDesktop

enum UserAbsence {
  /// Why no user can sign in here: there is no terminal, no display and no request for the address.
  ///
  /// With `forProgram`, standard input belongs to a program, not to a user.
  static func error(
    _ environment: [String: String],
    browser: String?,
    _ use: BrowserUse,
    forProgram: Bool = false
  ) -> AuthenticationError? {
    let hasTerminal = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].contains { isatty($0) == 1 }
    let isBrowserChosen = browser != nil || SystemBrowser.isChosen(in: environment)
    guard !hasTerminal, use != .report, !isBrowserChosen else { return nil }
    let session = DesktopSession(environment: environment)
    guard !session.mayHaveUser, session.isCI || forProgram || inputIsNull else { return nil }
    let message = "can't sign in here: there is no terminal and no display"
    return AuthenticationError(.interactionRequired, message, reason: "no_person")
      .with(
        hint: """
          run \(command: Invocation.deviceLogin)\(forProgram ? "" : ", or with --no-browser to print the address and wait")
          """
      )
  }

  /// Whether standard input is closed or `/dev/null`, as for a timer or a service.
  private static var inputIsNull: Bool {
    var (input, null) = (stat(), stat())
    return fstat(STDIN_FILENO, &input) != 0
      || stat("/dev/null", &null) == 0 && input.st_mode & S_IFMT == S_IFCHR && input.st_rdev == null.st_rdev
  }
}
