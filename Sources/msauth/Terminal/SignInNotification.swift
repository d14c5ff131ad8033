import MSAuth
import MSAuthCore
import MSAuthDesktop

/// A desktop notification that offers a sign-in, for a program that runs unattended.
struct SignInNotification: Sendable {
  private static let program = "notify-send"
  private static let action = "sign-in"
  /// The user may be away for the night.
  private static let timeout: Duration = .seconds(12 * 60 * 60)
  /// How often to look for a sign-in by another process.
  private static let storeCheckInterval: Duration = .seconds(10)

  let environment: [String: String]

  enum Ending: Sendable {
    case accepted, closed, signedIn
  }

  /// Shows the notification until the user responds or it is no longer needed.
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
    // Only the body may have markup (Desktop Notifications Specification).
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
