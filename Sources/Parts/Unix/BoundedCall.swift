package import CMSAuthGLib
import MSAuthCore

/// Calls GIO or libsecret with a time limit, even if the service never responds.
package enum BoundedCall {
  /// How often to check whether the call is hopeless.
  private static let pollInterval: Duration = .milliseconds(500)

  /// Cancels a call from another thread, which GLib allows only for this kind of object.
  package final class Cancellable: @unchecked Sendable {
    package let pointer: UnsafeMutableRawPointer?
    init() { pointer = cancellable_new() }
    deinit { cancellable_free(pointer) }
  }

  /// Runs a call on a dedicated thread; abandons it after a timeout, if it is hopeless, or if the task is canceled.
  package static func run<Value: Sendable>(
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
          cancellable_cancel(cancellable.pointer)
        }
      }
      group.addTask {
        let deadline = Deadline(in: timeout)
        while !Task.isCancelled, !deadline.hasPassed {
          try? await Task.sleep(for: min(pollInterval, deadline.remaining), clock: .suspending)
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

extension glib_reason {
  package var string: String {
    withUnsafeBytes(of: text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }.printable()
  }
}
