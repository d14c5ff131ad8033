import FlyingSocks
import TestSupport
import Testing

@testable import MSAuthLoopback

@Suite("connection limits", .timeLimit(.minutes(10)))
struct ListenerLimitTests {
  /// Responds to a peer that never reads, with more than the kernel's buffers hold.
  private func unread(_ limits: ListenerLimits) async throws -> [LoopbackListener.Event] {
    let log = EventLog()
    let arrived = OneShot<Void>()
    let listener = try LoopbackListener(.ipv4, limits: limits, peerCheck: .unchecked)
    let running = Task {
      try await listener.run(onEvent: log.add) { _ in
        arrived.resume()
        return .text(200, String(repeating: "a", count: 32 << 20))
      }
    }
    let peer = try Socket(domain: AF_INET)
    defer { try? peer.close() }
    try peer.connect(to: .inet(ip4: "127.0.0.1", port: listener.port) as sockaddr_in)
    _ = try peer.write(Data("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(listener.port)\r\n\r\n".utf8))
    try await arrived.value()
    listener.close()
    // The listener completes responses, so this ends only with the blocked one.
    try await running.value
    return log.events
  }

  /// Waits until writing fails because the listener closed both directions.
  private func expectEnd(of socket: AsyncSocket) async throws {
    try await eventually("the end") { (try? await socket.write(Data([0x61]))) == nil }
  }

  @Test(
    "poll(2) waits for the earliest deadline, without an end if there is none",
    arguments: [(nil, -1), (-1, 0), (0, 0), (0.0001, 1), (1.5, 1500), (1e9, 3_600_000)] as [(Double?, Int32)]
  )
  func pollTimeout(seconds: Double?, milliseconds: Int32) {
    let now = ContinuousClock.now
    #expect(EventLoop.milliseconds(until: seconds.map { now + .seconds($0) }, now: now) == milliseconds)
  }

  @Test("an unread response is dropped after its timeout")
  func responseTimeout() async throws {
    let limits = ListenerLimits.patient { $0.responseTimeout = .milliseconds(100) }
    #expect(try await unread(limits) == [])
  }

  @Test("a peer that keeps sending after an error response is disconnected")
  func drain() async throws {
    let limits = ListenerLimits.patient { ($0.maximumDrainBytes, $0.drainTimeout) = (100_000, .seconds(3600)) }
    try await withListener(limits: limits) { _, browser in
      let socket = try await browser.connect()
      defer { try? socket.close() }
      try await socket.write("GET / HTTP/9\r\n\r\n")
      await #expect(throws: (any Error).self) {
        // More than the limit and the buffers hold.
        for _ in 0..<1_000 { try await socket.write(Data(repeating: 0x61, count: 64 * 1024)) }
      }
      #expect(try await browser.get("/").status == 200)
    }
  }

  @Test("a peer that stays silent after an error response is disconnected after its timeout")
  func drainTimeout() async throws {
    try await withListener(limits: .patient { $0.drainTimeout = .milliseconds(100) }) { _, browser in
      let socket = try await browser.connect()
      defer { try? socket.close() }
      try await socket.write("GET / HTTP/9\r\n\r\n")
      #expect(await browser.rest(of: socket).status == 505)
      try await expectEnd(of: socket)
    }
  }

  @Test("another user's connection is closed after its timeout without new connections")
  func rejectedAlone() async throws {
    let limits = ListenerLimits.patient { $0.drainTimeout = .milliseconds(100) }
    let check = PeerCheck(ownUser: 1000) { _, _ in .user(1001) }
    try await withListener(limits: limits, peerCheck: check) { _, browser in
      let socket = try await browser.connect()
      defer { try? socket.close() }
      #expect(await browser.rest(of: socket).status == 403)
      try await expectEnd(of: socket)
    }
  }

  @Test(
    "connections use half of the process's descriptors, up to the limit",
    arguments: [(1_024, 512), (1_023, 511), (65_536, 512), (64, 32), (256, 128), (4, 4), (0, 4)]
  )
  func descriptors(_ descriptors: Int, _ connections: Int) {
    #expect(ListenerLimits().fitting(descriptors: descriptors).maximumConnections == connections)
    var few = ListenerLimits()
    few.maximumConnections = 2
    #expect(few.fitting(descriptors: descriptors).maximumConnections == 2)
  }
}
