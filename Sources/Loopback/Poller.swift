// A module of the FlyingFox package, whose FlyingSocks needs it too: epoll and eventfd are not in Swift's Glibc.
internal import CSystemLinux
internal import Glibc

/// Reports which descriptors are ready, by `epoll(7)`; any thread can end the wait.
///
/// Each descriptor is known by a number that is never used again: its own number may be another connection's by the
/// time an event is looked at.
final class Poller: Sendable {
  /// What is waited for.
  enum Interest {
    /// Input, as long as there is any.
    case input
    /// Room for output.
    case output
    /// That the peer closes at least its sending half; reported once.
    case hangUp
    /// Nothing but errors.
    case none

    fileprivate var mask: UInt32 {
      switch self {
      case .input: EPOLLIN.rawValue | EPOLLRDHUP.rawValue
      case .output: EPOLLOUT.rawValue
      case .hangUp: EPOLLRDHUP.rawValue | EPOLLET.rawValue
      case .none: 0
      }
    }
  }

  let epoll: Int32
  let wake: Int32

  /// The number that means ``wakeUp()``.
  private static let wakeID = UInt64.max
  /// More events come with the next call.
  private static let batch = 512

  /// - Throws: `SocketFailure` with the system's error number.
  init() throws(SocketFailure) {
    let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw SocketFailure(number: errno) }
    let wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: Self.wakeID))
    guard wake >= 0, epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event) == 0 else {
      let failure = SocketFailure(number: errno)
      for descriptor in [wake, epoll] where descriptor >= 0 { close(descriptor) }
      throw failure
    }
    (self.epoll, self.wake) = (epoll, wake)
  }

  deinit {
    close(wake)
    close(epoll)
  }

  /// Begins to watch a descriptor.
  ///
  /// - Returns: Whether the system could.
  func add(_ descriptor: Int32, _ interest: Interest, id: UInt64) -> Bool {
    control(EPOLL_CTL_ADD, descriptor, interest, id)
  }

  /// Watches a descriptor for something else.
  ///
  /// - Returns: Whether the system could.
  @discardableResult
  func change(_ descriptor: Int32, _ interest: Interest, id: UInt64) -> Bool {
    control(EPOLL_CTL_MOD, descriptor, interest, id)
  }

  /// Watches a descriptor no more; to be called before it is closed, which a child process may keep open.
  func remove(_ descriptor: Int32) {
    _ = control(EPOLL_CTL_DEL, descriptor, .none, 0)
  }

  private func control(_ operation: Int32, _ descriptor: Int32, _ interest: Interest, _ id: UInt64) -> Bool {
    var event = epoll_event(events: interest.mask, data: epoll_data_t(u64: id))
    return epoll_ctl(epoll, operation, descriptor, &event) == 0
  }

  /// Waits for events, or until the time is over or ``wakeUp()`` was called.
  ///
  /// - Parameter milliseconds: The time; without end when it is negative.
  /// - Returns: The numbers of the descriptors that are ready, or whose peer is gone.
  func wait(milliseconds: Int32) -> [UInt64] {
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.batch) { events in
      let count = Int(epoll_wait(epoll, events.baseAddress, Int32(Self.batch), milliseconds))
      guard count > 0 else { return [] }
      var ready: [UInt64] = []
      ready.reserveCapacity(count)
      for event in events[..<count] {
        if event.data.u64 == Self.wakeID {
          var value: eventfd_t = 0
          eventfd_read(wake, &value)
        } else {
          ready.append(event.data.u64)
        }
      }
      return ready
    }
  }

  /// Ends the wait, or the next one.
  func wakeUp() { eventfd_write(wake, 1) }
}
