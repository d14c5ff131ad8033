import FoundationEssentials
import Core

/// What the page shows: the tutorial's label, buttons and log, and the activity in progress.
///
/// Each change raises the revision and is sent to the pages that wait for it.
@MainActor
final class Screen {
  /// The label's text.
  var username = "" { didSet { if username != oldValue { changed() } } }
  /// Whether an account is signed in.
  var canSignOut = false { didSet { if canSignOut != oldValue { changed() } } }
  /// The activity in progress, if any.
  var activity: Activity? { didSet { if activity != oldValue { changed() } } }
  private(set) var log = LogText()
  private(set) var revision = 0
  private(set) var hasEnded = false

  /// An activity in progress.
  struct Activity: Equatable {
    var text: String
    /// Whether it waits for the person in another tab, and can be cancelled.
    var canBeCancelled = false
  }

  private struct Waiter {
    let continuation: CheckedContinuation<Void, Never>
    let timer: Task<Void, Never>
  }

  private var waiters: [Int: Waiter] = [:]
  private var waiterCount = 0

  /// Whether any page waits for a change.
  var isAwaited: Bool { !waiters.isEmpty }

  /// Adds an entry to the log; repeating the last text only updates its time.
  func write(_ text: String, at time: UnixTime) {
    log.write(text, at: time)
    changed()
  }

  /// Shows that the program ends.
  func end() {
    hasEnded = true
    changed()
  }

  /// Waits until the screen differs from a revision, or the limit is reached.
  ///
  /// - Parameters:
  ///   - revision: The revision that the page shows.
  ///   - limit: How long to wait.
  func change(from revision: Int, atMost limit: Duration) async {
    guard revision == self.revision, !hasEnded else { return }
    waiterCount += 1
    let number = waiterCount
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let timer = Task {
          try? await Task.sleep(for: limit)
          release(number)
        }
        waiters[number] = Waiter(continuation: continuation, timer: timer)
        if Task.isCancelled { release(number) }
      }
    } onCancel: {
      Task { await self.release(number) }
    }
  }

  private func changed() {
    revision += 1
    for number in waiters.keys { release(number) }
  }

  private func release(_ number: Int) {
    guard let waiter = waiters.removeValue(forKey: number) else { return }
    waiter.timer.cancel()
    waiter.continuation.resume()
  }
}

extension Screen {
  /// The screen as the page's script reads it.
  var json: JSON {
    [
      "revision": .number(.init(revision)),
      "username": .string(username),
      "canSignOut": .bool(canSignOut),
      "activity": activity.map { .string($0.text) } ?? .null,
      "canCancel": .bool(activity?.canBeCancelled ?? false),
      "ended": .bool(hasEnded),
      "log": .array(log.entries.map(\.json)),
    ]
  }
}
