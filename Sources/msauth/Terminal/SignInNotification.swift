import FoundationEssentials
import MSAuth
import MSAuthDesktop

/// A desktop notification that offers a sign-in, for a program without a terminal.
struct SignInNotification: Sendable {
  private static let program = "notify-send"
  private static let action = "sign-in"

  let summary: String
  var body = "A program needs a token. Your browser will open."
  /// The user may be away overnight.
  var timeout: Duration = .seconds(12 * 60 * 60)

  enum Ending: Sendable { case accepted, closed, signedIn }

  /// Shows the notification until the user responds, or another process has signed in.
  func ending(signedIn: @escaping @Sendable () async -> Bool) async throws -> Ending {
    try await withThrowingTaskGroup(of: Ending.self) { group in
      group.addTask { try await isAccepted() == true ? .accepted : .closed }
      group.addTask {
        if await signedIn() { return .signedIn }
        throw CancellationError()
      }
      defer { group.cancelAll() }
      guard let ending = try await group.next() else { throw CancellationError() }
      return ending
    }
  }

  /// Whether the user chose to sign in; `nil` if the notification couldn't be shown or timed out.
  func isAccepted() async throws -> Bool? {
    // Only the body may have markup (Desktop Notifications Specification).
    let options = ["--app-name=msauth", "--icon=msauth", "--hint=string:desktop-entry:msauth"]
    let text = ["--", summary]
    let environment = ProcessInfo.processInfo.environment
    let shown: ProgramOutput?
    do {
      shown = try await withTimeout(timeout) { [body] in
        let button = ["--action=\(Self.action)=Sign in"]
        let shown = await runProgram(
          Self.program,
          options + button + text + [body.escapedForHTML],
          environment: environment
        )
        guard let shown, shown.code != 0, shown.errors.contains("--action") else { return shown }
        // Before version 0.8, libnotify has no buttons.
        let advice = "Run \(Invocation.loginCommand.shellCommand) in a terminal."
        return await runProgram(Self.program, options + text + [advice], environment: environment)
      }
    } catch {
      guard error == .timeout else { throw error }
      return nil
    }
    try Task.checkCancellation()
    guard let shown, shown.code == 0 else {
      let missing = "\(commandNotFound(Self.program)) (Debian: libnotify-bin)"
      Console.message("no notification can be shown: \(shown?.errors.printable(limit: 300) ?? missing)")
      return nil
    }
    return Array(shown.output.utf8).firstLine == Self.action
  }
}
