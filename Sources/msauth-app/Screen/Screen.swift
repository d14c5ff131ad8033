import FoundationEssentials
import MSAuthCore

/// What the page shows; each change increments the revision and is sent to the waiting pages.
@MainActor
final class Screen {
  var username = "" { didSet { if username != oldValue { changed() } } }
  var canSignOut = false { didSet { if canSignOut != oldValue { changed() } } }
  var activity: Activity? { didSet { if activity != oldValue { changed() } } }
  private(set) var log = LogText()
  private(set) var revision = 0

  struct Activity: Equatable {
    var text: String
    /// Whether it waits for the user in another tab.
    var canBeCancelled = false
  }

  private struct Waiter {
    let continuation: CheckedContinuation<Void, Never>
    let timer: Task<Void, Never>
  }

  private var waiters: [Int: Waiter] = [:]
  private var waiterCount = 0

  func write(_ text: String, at time: UnixTime) {
    log.write(text, at: time)
    changed()
  }

  var isAwaited: Bool { !waiters.isEmpty }

  /// Waits until the screen differs from the revision that a page shows.
  func change(from revision: Int, atMost limit: Duration) async {
    guard revision == self.revision else { return }
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
    releaseAll()
  }

  /// Ends every wait.
  func releaseAll() {
    for number in waiters.keys { release(number) }
  }

  private func release(_ number: Int) {
    guard let waiter = waiters.removeValue(forKey: number) else { return }
    waiter.timer.cancel()
    waiter.continuation.resume()
  }
}

extension Screen {
  /// As `app.js` reads it.
  var json: JSONValue {
    [
      "revision": .number(.init(revision)),
      "username": .string(username),
      "canSignOut": .bool(canSignOut),
      "activity": activity.map { .string($0.text) } ?? .null,
      "canCancel": .bool(activity?.canBeCancelled ?? false),
      "log": .array(log.entries.map(\.json)),
    ]
  }
}
