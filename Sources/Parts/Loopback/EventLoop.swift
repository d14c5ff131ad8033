import CMSAuthLinux
import Glibc
import MSAuthCore
import Synchronization

/// The listener's thread: it accepts, reads and writes, and waits only in `poll(2)`, so that a flood costs little.
struct EventLoop {
  let listener: LoopbackListener
  let onEvent: @Sendable (LoopbackListener.Event) -> Void
  let rejection: @Sendable (_ status: Int, LoopbackRequest?) -> LoopbackResponse?
  let respond: @Sendable (LoopbackRequest) async -> LoopbackResponse
  /// Oldest first.
  var connections: [Connection] = []
  var lastID: UInt64 = 0
  var now = ContinuousClock.now
  /// When to accept connections again: those of a flood must not evict the browser's before its request arrives.
  var acceptsFrom = ContinuousClock.now
  var isClosing = false
  var isCanceled = false
  var input = [UInt8](repeating: 0, count: 16 * 1024)
  /// Rendered once for all connections of other users: serializing a page takes 16 µs, and copies would hold memory.
  lazy var foreignUserResponse = rejectionResponse(403, "This belongs to another user of this computer.").serialized()

  var limits: ListenerLimits { listener.limits }

  mutating func run() {
    while !isClosing || !connections.isEmpty {
      let ready = wait()
      now = .now
      for connection in ready { proceed(connection) }
      // Before accepting, since a finished connection makes room for a new one.
      for message in listener.queue.take() { message(&self) }
      if !isClosing { accept() }
      expire()
    }
  }

  /// Waits for messages, connections and deadlines; returns the connections that are ready.
  private mutating func wait() -> [Connection] {
    func polled(_ descriptor: Int32, _ events: Int32) -> pollfd {
      pollfd(fd: descriptor, events: Int16(events), revents: 0)
    }
    var polls: [pollfd] = []
    for connection in connections {
      switch connection.state {
      // A peer may disconnect while its response is composed; poll(2) ignores a negative descriptor.
      case .composing: polls.append(polled(-1, 0))
      case .writing: polls.append(polled(connection.descriptor, POLLOUT))
      case .reading, .draining: polls.append(polled(connection.descriptor, POLLIN))
      }
    }
    polls.append(polled(listener.queue.descriptor, POLLIN))
    let isPaused = now < acceptsFrom
    if !isClosing, !isPaused { polls += listener.sockets.map { polled($0.descriptor, POLLIN) } }
    let deadlines = connections.compactMap(\.currentDeadline) + (isPaused ? [acceptsFrom] : [])
    guard poll(&polls, nfds_t(polls.count), Self.milliseconds(until: deadlines.min())) > 0 else { return [] }
    return zip(connections, polls).filter { $1.revents != 0 }.map(\.0)
  }

  /// The time limit of poll(2) until a deadline, rounded up; -1 without one.
  static func milliseconds(until deadline: ContinuousClock.Instant?, now: ContinuousClock.Instant = .now) -> Int32 {
    guard let deadline else { return -1 }
    let seconds = max(.zero, deadline - now) / .seconds(1)
    return Int32(clamping: Int64((min(seconds, 3600) * 1000).rounded(.up)))
  }

  mutating func deliver(_ response: LoopbackResponse, to id: UInt64) {
    if let connection = connections.first(where: { $0.id == id }) { write(response, to: connection) }
  }

  /// Accepts no more connections; the loop ends when the last response is written.
  mutating func close(canceling: Bool) {
    isClosing = true
    isCanceled = isCanceled || canceling
    for connection in connections {
      if isCanceled { connection.task?.cancel() }
      if connection.state != .composing, connection.state != .writing { end(connection) }
    }
  }

  private mutating func expire() {
    for connection in connections where connection.currentDeadline.map({ $0 <= now }) == true {
      if connection.state == .reading, connection.reader.count > 0 {
        reject(connection, RequestRejection(408, "it didn't arrive in time"))
      } else {
        // A browser that preconnects may never send anything.
        end(connection)
      }
    }
  }
}

// Admission.
extension EventLoop {
  /// Accepts up to an eighth of the limit per turn, and while the limit is reached, takes one turn per millisecond: so a
  /// connection stays for some milliseconds before it is evicted, and its request usually arrives at once.
  private mutating func accept() {
    guard now >= acceptsFrom else { return }
    for socket in listener.sockets {
      for _ in 0..<max(1, limits.maximumConnections / 8) {
        if let (descriptor, peer) = socket.accept() {
          admit(descriptor, peer, socket.address)
        } else if [EAGAIN, EINTR, ECONNABORTED, EINVAL].contains(errno) {
          // EINVAL: the listener is being closed.
          break
        } else {
          // EMFILE, ENFILE, ENOBUFS and ENOMEM are temporary.
          onEvent(.acceptFailed)
          if let evictable { end(evictable) }
          acceptsFrom = now + .milliseconds(1)
          return
        }
      }
    }
    if isFull { acceptsFrom = now + .milliseconds(1) }
  }

  private var isFull: Bool { connections.count >= limits.maximumConnections }

  /// The connection to evict: the oldest whose response is written, or else the oldest that waits for its peer.
  private var evictable: Connection? {
    connections.first { $0.state == .draining } ?? connections.first { $0.state != .composing }
  }

  private mutating func admit(_ descriptor: Int32, _ peer: LoopbackAddress?, _ local: LoopbackAddress) {
    if isFull, let evictable { end(evictable) }
    let isBusy = isFull
    lastID += 1
    let connection = Connection(id: lastID, descriptor: descriptor, limits: limits, now: now)
    connections.append(connection)
    if let event = listener.peerCheck.objection(to: peer, connectedTo: local) {
      onEvent(event)
      write(foreignUserResponse, to: connection)
    } else if isBusy {
      onEvent(.rejected(status: 503, reason: "too many connections wait for a response"))
      write(rejectionResponse(503, "Try again in a moment."), to: connection)
    } else {
      // A browser's request has usually arrived by now.
      read(connection)
    }
  }
}

/// One request and its response, on the event loop's thread.
final class Connection {
  enum State {
    case reading
    /// A task composes the response; this state has no deadline.
    case composing
    case writing
    /// The response is written; further input is discarded.
    case draining
  }

  let id: UInt64
  let descriptor: Int32
  var state = State.reading
  var deadline: ContinuousClock.Instant
  var reader: RequestReader
  var task: Task<Void, Never>?
  /// Set once the request is complete.
  var request: LoopbackRequest?
  var output: ArraySlice<UInt8> = []
  var drainedBytes = 0

  var currentDeadline: ContinuousClock.Instant? { state == .composing ? nil : deadline }

  init(id: UInt64, descriptor: Int32, limits: ListenerLimits, now: ContinuousClock.Instant) {
    self.id = id
    self.descriptor = descriptor
    self.deadline = now + limits.requestTimeout
    self.reader = RequestReader(limits: limits)
  }
}

/// Work that other threads leave for the event loop's thread; an eventfd(2) wakes its `poll(2)`.
final class WakeupQueue: Sendable {
  typealias Message = @Sendable (inout EventLoop) -> Void

  /// Readable while there are messages.
  let descriptor: Int32
  private let messages = Mutex<[Message]>([])

  /// Returns `nil` with `errno` if the system has no descriptors left.
  init?() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func post(_ message: @escaping Message) {
    messages.withLock { $0.append(message) }
    eventfd_write(descriptor, 1)
  }

  func take() -> [Message] {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
    return messages.withLock { exchange(&$0, with: []) }
  }
}
