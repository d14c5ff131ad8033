import Core
import Desktop
import MSAuth

/// A desktop notification that asks somebody to sign in, for a program that runs unattended.
struct SignInNotification: Sendable {
  private static let program = "notify-send"
  private static let action = "sign-in"
  /// Who is asked may be away for the night; a timer asks again after that.
  private static let timeout: Duration = .seconds(12 * 60 * 60)
  /// How often to look for a sign-in that another process made; a look may take the store's lock.
  private static let storeCheckInterval: Duration = .seconds(10)

  let environment: [String: String]

  /// How the notification ended.
  enum Ending: Sendable {
    case accepted, closed, signedIn
  }

  /// Shows the notification, and waits until its button is pressed, it is closed, or it is no longer needed.
  func ending(for username: String?, isSignedIn: @escaping @Sendable () async -> Bool) async throws -> Ending {
    try await withThrowingTaskGroup(of: Ending.self) { group in
      group.addTask { try await isAccepted(for: username) ? .accepted : .closed }
      group.addTask {
        repeat { try await Task.sleep(for: Self.storeCheckInterval) } while await !isSignedIn()
        return .signedIn
      }
      defer { group.cancelAll() }
      guard let ending = try await group.next() else { throw CancellationError() }
      return ending
    }
  }

  private func isAccepted(for username: String?) async throws -> Bool {
    // The summary is plain text; markup would count in the body (Desktop Notifications Specification).
    let summary = "Sign in" + (username.map { " as \($0.printable(limit: 100))" } ?? "")
    let arguments = [
      "--app-name=msauth", "--icon=msauth", "--hint=string:desktop-entry:msauth", "--action=\(Self.action)=Sign in",
      "--", summary, "A program needs a token. Your browser will open.",
    ]
    let shown: ProgramOutput?
    do {
      shown = try await withTimeout(Self.timeout) {
        await runProgram(Self.program, arguments, environment: environment)
      }
    } catch let error as Failure where error == .timeout {
      return false
    }
    // What was ended here has no result to report.
    try Task.checkCancellation()
    guard let shown else {
      Console.say("no notification can be shown: there is no \(Self.program) (Debian: libnotify-bin)")
      return false
    }
    guard shown.code == 0 else {
      Console.say("no notification can be shown: \(shown.errors.printable(limit: 300))")
      return false
    }
    return shown.output.utf8.split(separator: UInt8(ascii: "\n")).first.map { $0.elementsEqual(Self.action.utf8) }
      == true
  }
}
