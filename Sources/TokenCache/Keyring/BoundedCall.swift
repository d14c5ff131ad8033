import CGLib
import Unix

/// A call into libsecret that ends in time, whatever the keyring does.
enum BoundedCall {
  /// How often to look whether an answer can still come.
  private static let pollInterval: Duration = .milliseconds(500)

  /// What ends a call from another thread; GLib allows that for this one kind of object.
  final class Cancellable: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer?
    init() { pointer = libsecret_cancellable_new() }
    deinit { libsecret_cancellable_free(pointer) }
  }

  /// Runs a call on a thread of its own, which is left behind when the time is over or the task is cancelled.
  static func run<Value: Sendable>(
    within timeout: Duration,
    unless isHopeless: @escaping @Sendable () async -> Bool = { false },
    _ body: @escaping @Sendable (Cancellable) -> Value
  ) async -> Value? {
    let cancellable = Cancellable()
    return await withTaskGroup(of: Value?.self) { group in
      group.addTask {
        await BackgroundThread.runAbandoning {
          body(cancellable)
        } onCancel: {
          libsecret_cancel(cancellable.pointer)
        }
      }
      group.addTask {
        // A suspending clock: those who are waited for sleep when the machine does.
        let clock = SuspendingClock()
        let deadline = clock.now + timeout
        while !Task.isCancelled, clock.now < deadline {
          try? await Task.sleep(until: min(clock.now + pollInterval, deadline), clock: clock)
          if await isHopeless() { break }
        }
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
  }
}
