// A module of the FlyingFox package, whose FlyingSocks needs it too: epoll and eventfd are not in Swift's Glibc.
import CSystemLinux
import FlyingSocks
import Glibc

/// Reports to the tests' own peers which sockets are ready, by `epoll`.
///
/// FlyingSocks has such a queue, but its descriptors are inherited by child processes and one of them is never closed,
/// and it mistakes a descriptor whose number is reused for the closed one: the new connection would hang.
struct ReadinessQueue: EventQueue {
  private(set) var epoll: Int32 = -1
  private(set) var wake: Int32 = -1
  private var waited: [Socket.FileDescriptor: Socket.Events] = [:]

  /// Notifications read at once; more come with the next call.
  private static let batch = 32

  mutating func open() throws {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw SocketError.makeFailed("epoll_create1") }
    wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: wake))
    guard wake >= 0, epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event) == 0 else {
      let error = SocketError.makeFailed("eventfd")
      try close()
      throw error
    }
  }

  mutating func stop() throws {
    if wake >= 0 { eventfd_write(wake, 1) }
  }

  mutating func close() throws {
    for descriptor in [wake, epoll] where descriptor >= 0 { Glibc.close(descriptor) }
    (wake, epoll) = (-1, -1)
    waited = [:]
  }

  mutating func addEvents(_ events: Socket.Events, for socket: Socket.FileDescriptor) throws {
    let wanted = (waited[socket] ?? []).union(events)
    waited[socket] = wanted
    var event = epoll_event(events: wanted.mask, data: epoll_data_t(fd: socket.rawValue))
    if epoll_ctl(epoll, EPOLL_CTL_ADD, socket.rawValue, &event) == 0 { return }
    guard errno == EEXIST, epoll_ctl(epoll, EPOLL_CTL_MOD, socket.rawValue, &event) == 0 else {
      waited[socket] = nil
      throw SocketError.makeFailed("epoll_ctl")
    }
  }

  mutating func removeEvents(_ events: Socket.Events, for socket: Socket.FileDescriptor) throws {
    let wanted = (waited[socket] ?? []).subtracting(events)
    waited[socket] = wanted.isEmpty ? nil : wanted
    // The waiting task has been resumed by now and may have closed the socket, which removed it from the queue.
    var event = epoll_event(events: wanted.mask, data: epoll_data_t(fd: socket.rawValue))
    _ = epoll_ctl(epoll, wanted.isEmpty ? EPOLL_CTL_DEL : EPOLL_CTL_MOD, socket.rawValue, &event)
  }

  func getNotifications() throws -> [EventNotification] {
    var events = Array(repeating: epoll_event(), count: Self.batch)
    let count = epoll_wait(epoll, &events, Int32(Self.batch), -1)
    guard count >= 0 else {
      if errno == EINTR { return [] }
      throw SocketError.makeFailed("epoll_wait")
    }
    return try events.prefix(Int(count)).map { event in
      guard event.data.fd != wake else { throw SocketError.disconnected }
      // An error or a hang-up is left to the read or write that follows: only that knows whose descriptor this is now.
      let failed = event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
      var ready: Socket.Events = []
      if failed || event.events & EPOLLIN.rawValue != 0 { ready.insert(.read) }
      if failed || event.events & EPOLLOUT.rawValue != 0 { ready.insert(.write) }
      return EventNotification(file: .init(rawValue: event.data.fd), events: ready, errors: [])
    }
  }
}

extension Socket.Events {
  fileprivate var mask: UInt32 {
    (contains(.read) ? EPOLLIN.rawValue : 0) | (contains(.write) ? EPOLLOUT.rawValue : 0)
  }
}
