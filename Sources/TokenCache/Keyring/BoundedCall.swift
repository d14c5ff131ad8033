import CLibSecret
import Dispatch
import Glibc
import Synchronization

/// A call into libsecret that ends in time, whatever the keyring does.
enum BoundedCall {
  /// How long a cancelled call may take to notice; libsecret's do at once.
  private static let grace = 1.0
  /// How often to look whether an answer can still come.
  private static let pulse = 0.5

  /// What ends a call from another thread; GLib allows that for this one kind of object.
  final class Cancellable: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer?
    init() { pointer = libsecret_cancellable_new() }
    deinit { libsecret_cancellable_free(pointer) }
  }

  private final class Slot<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
    let isFull = DispatchSemaphore(value: 0)
  }

  /// Runs a call on a thread of its own, which is left behind should it not even heed its cancellation.
  ///
  /// - Parameters:
  ///   - seconds: The deadline.
  ///   - isHopeless: Whether no answer can come any more; asked now and then.
  ///   - body: The call, which is to hand the cancellable on to libsecret.
  /// - Returns: Its result, or nil when there is none in time.
  static func run<Value: Sendable>(
    within seconds: Double,
    unless isHopeless: () -> Bool = { false },
    _ body: @escaping @Sendable (Cancellable) -> Value
  ) -> Value? {
    let slot = Slot<Value>()
    let cancellable = Cancellable()
    let isRunning = start {
      let value = body(cancellable)
      slot.value.withLock { $0 = value }
      slot.isFull.signal()
    }
    guard isRunning else { return nil }
    // Those who are waited for sleep when the machine does.
    let clock = SuspendingClock()
    let deadline = clock.now + .seconds(seconds)
    while slot.isFull.wait(timeout: .now() + min(pulse, seconds)) == .timedOut {
      guard clock.now < deadline, !isHopeless() else {
        libsecret_cancel(cancellable.pointer)
        _ = slot.isFull.wait(timeout: .now() + grace)
        break
      }
    }
    return slot.value.withLock { $0 }
  }

  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let work = Unmanaged.passRetained(Work(body))
    var thread = pthread_t()
    let code = pthread_create(
      &thread,
      nil,
      { work in
        if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
        return nil
      },
      work.toOpaque()
    )
    guard code == 0 else {
      work.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}
