import FlyingSocks
import FoundationEssentials
import Glibc
import Testing

@testable import Loopback

@Suite("Bounding connections", .timeLimit(.minutes(10)))
struct ConnectionLimiterTests {
  /// Numbers that no descriptor has: shutting one down does nothing.
  private func socket(_ number: Int32) -> Socket { Socket(file: .init(rawValue: 1_000_000 + number)) }

  private func limiter(
    connections: Int,
    minimumIdleTime: Duration = .milliseconds(100)
  ) -> ConnectionLimiter {
    var limits = Limits()
    limits.maximumConnections = connections
    limits.minimumIdleTime = minimumIdleTime
    return ConnectionLimiter(limits: limits)
  }

  private enum Admission: Equatable { case admitted, full, retry(after: Duration) }

  private func admit(
    _ number: Int32,
    to limiter: ConnectionLimiter,
    at time: ContinuousClock.Instant = .now
  ) -> Admission {
    switch limiter.admit(socket(number), now: time) {
    case .admitted: .admitted
    case .full: .full
    case .retry(let delay, _): .retry(after: delay)
    }
  }

  @Test("a new connection waits until the oldest idle one has had its time, and then replaces it")
  func minimumIdleTime() {
    let limiter = limiter(connections: 2)
    let start = ContinuousClock.now
    #expect(admit(1, to: limiter, at: start) == .admitted)
    #expect(admit(2, to: limiter, at: start + .milliseconds(50)) == .admitted)
    #expect(admit(3, to: limiter, at: start + .milliseconds(60)) == .retry(after: .milliseconds(40)))
    #expect(admit(3, to: limiter, at: start + .milliseconds(100)) == .admitted)
    #expect(admit(4, to: limiter, at: start + .milliseconds(110)) == .retry(after: .milliseconds(40)))
  }

  @Test("a connection that waits for its response is never ended")
  func answering() {
    let limiter = limiter(connections: 2)
    let start = ContinuousClock.now
    for number in Int32(1)...2 {
      #expect(admit(number, to: limiter, at: start) == .admitted)
      limiter.set(.answering, for: socket(number))
    }
    #expect(admit(3, to: limiter, at: start + .seconds(60)) == .full)
    limiter.set(.idle, for: socket(2))
    #expect(admit(3, to: limiter, at: start + .seconds(60)) == .admitted)
    #expect(admit(4, to: limiter, at: start + .seconds(120)) == .admitted)
    #expect(admit(5, to: limiter, at: start + .seconds(120)) == .retry(after: .milliseconds(100)))
  }

  @Test("a peer that closed its sending half keeps its connection while an idle one can be ended")
  func readClosed() {
    let limiter = limiter(connections: 2)
    let start = ContinuousClock.now
    #expect(admit(1, to: limiter, at: start) == .admitted)
    limiter.set(.answering, for: socket(1))
    limiter.set(.readClosed, for: socket(1))
    #expect(admit(2, to: limiter, at: start) == .admitted)
    // The second is ended, young as it is compared with the first.
    #expect(admit(3, to: limiter, at: start + .milliseconds(100)) == .admitted)
    limiter.set(.answering, for: socket(3))
    // Now only the first can be.
    #expect(admit(4, to: limiter, at: start + .milliseconds(100)) == .admitted)
    limiter.set(.answering, for: socket(4))
    #expect(admit(5, to: limiter, at: start + .seconds(60)) == .full)
  }

  @Test("a connection that ends makes place for another")
  func removal() {
    let limiter = limiter(connections: 1)
    #expect(admit(1, to: limiter) == .admitted)
    limiter.remove(socket(1))
    #expect(admit(2, to: limiter) == .admitted)
  }

  @Test("a new connection is admitted as soon as another one ends")
  func vacancy() async {
    let limiter = limiter(connections: 1, minimumIdleTime: .seconds(600))
    #expect(admit(1, to: limiter) == .admitted)
    async let admitted = limiter.admit(socket(2))
    limiter.remove(socket(1))
    #expect(await admitted)
  }

  @Test("waiting for a free place ends with the task")
  func cancellation() async {
    let limiter = limiter(connections: 1, minimumIdleTime: .seconds(600))
    #expect(admit(1, to: limiter) == .admitted)
    let waiting = Task { await limiter.admit(socket(2)) }
    waiting.cancel()
    #expect(await waiting.value == false)
  }

  @Test("a descriptor's number that is used again is watched again")
  func reusedDescriptor() throws {
    var queue = ReadinessQueue()
    try queue.open()
    for _ in 0..<3 {
      let (near, far) = try Socket.pair()
      try queue.addEvents([.read], for: near.file)
      _ = try far.write(.init([1]))
      // A signal interrupts the wait, and a child process that was forked meanwhile keeps the last round's socket open.
      var ready: [Socket.FileDescriptor] = []
      while !ready.contains(near.file) { ready += try queue.getNotifications().map(\.file) }
      // Closed before the queue learns of it, as happens when the waiting task is quicker.
      try near.close()
      try queue.removeEvents([.read], for: near.file)
      try far.close()
    }
    try queue.close()
  }
}

extension Socket {
  static func pair() throws -> (Socket, Socket) {
    var files: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &files) == 0 else { throw SocketError.makeFailed("pair") }
    return (Socket(file: .init(rawValue: files[0])), Socket(file: .init(rawValue: files[1])))
  }
}
