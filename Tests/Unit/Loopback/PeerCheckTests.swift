import FlyingSocks
import Synchronization
import TestSupport
import Testing

@testable import MSAuthLoopback

@Suite("the peer's user", .timeLimit(.minutes(10)))
struct PeerCheckTests {
  static let table = """
    sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
     0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 11 1 0 100 0 0 10 0
     1: 0100007F:A001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 12 1 0 20 4 30 10 -1
     2: 0100007F:1F90 0100007F:A001 01 00000000:00000000 00:00000000 00000000  1000        0 13 1 0 20 4 30 10 -1
     3: 0100007F:A002 0100007F:1F90 06 00000000:00000000 03:00000176 00000000     0        0 0 3 0
     4: 00000000000000000000000001000000:A003 00000000000000000000000001000000:1F90 01 0:0 00:0 0 1003 0 14 1
     5: 0000000000000000FFFF00000100007F:A004 0000000000000000FFFF00000100007F:1F90 01 0:0 00:0 0 1004 0 15 1
     6: garbage
    """

  @Test(
    "the kernel's socket table has the peer's user",
    arguments: [
      (LoopbackAddress.Family.ipv4, UInt16(0xA001), UInt32(1001)), (.ipv4, 0xA002, nil), (.ipv6, 0xA003, 1003),
      (.ipv4, 0xA004, 1004), (.ipv4, 0xA003, nil), (.ipv6, 0xA001, nil), (.ipv4, 0xA009, nil),
    ] as [(LoopbackAddress.Family, UInt16, UInt32?)]
  )
  func table(_ family: LoopbackAddress.Family, _ port: UInt16, _ user: UInt32?) {
    let (peer, local) = (LoopbackAddress(family: family, port: port), LoopbackAddress(family: family, port: 0x1F90))
    let owner = SocketTable.owner(of: peer, connectedTo: local, in: Array(Self.table.utf8)[...])
    #expect(owner == user.map { .user($0) } ?? .missing)
  }

  private let here = LoopbackAddress(family: .ipv4, port: 1)
  private let there = LoopbackAddress(family: .ipv4, port: 2)

  @Test(
    "only the user's own and root's processes are accepted",
    arguments: [
      (1000, .user(1000), nil), (1000, .user(1001), .foreignUser(1001)), (1000, .user(0), nil),
      (1000, .user(65534), .foreignUser(65534)), (0, .user(1001), .foreignUser(1001)), (0, .user(0), nil),
      (1000, .missing, .unknownPeer), (1000, .unknown, nil),
    ] as [(UInt32, PeerCheck.Owner, LoopbackListener.Event?)]
  )
  func rule(_ ownUser: UInt32, _ peer: PeerCheck.Owner, _ event: LoopbackListener.Event?) {
    let check = PeerCheck(ownUser: ownUser) { _, _ in peer }
    #expect(check.objection(to: here, connectedTo: there) == event)
    #expect(check.objection(to: nil, connectedTo: there) == .unknownPeer)
  }

  @Test("unlisted peers are accepted on WSL, and unmapped ones in a user namespace")
  func exceptions() {
    let wsl = PeerCheck(ownUser: 1000, admitsMissing: true) { _, _ in .missing }
    #expect(wsl.objection(to: here, connectedTo: there) == nil)
    let namespace = PeerCheck(ownUser: 1000, hasIdentityMap: false) { _, _ in .user(65534) }
    #expect(namespace.objection(to: here, connectedTo: there) == nil)
    // Either may be another user, so a link that such a peer opened must be single-use.
    #expect(!wsl.recognizesUsers && !namespace.recognizesUsers)
    #expect(PeerCheck(ownUser: 1000) { _, _ in .unknown }.recognizesUsers)
  }

  @Test("the kernel and its table list our connection", arguments: [Browser.Address.ipv4, .ipv6])
  func real(_ address: Browser.Address) async throws {
    let diagnosis = try #require(SocketDiagnosis())
    let found = Mutex<[PeerCheck.Owner?]>([])
    let check = PeerCheck { peer, local in
      let owners = [
        diagnosis.owner(of: peer, connectedTo: local), SocketTable.owner(of: peer, connectedTo: local),
        // Addresses without a connection, though one has a listener.
        diagnosis.owner(of: local, connectedTo: LoopbackAddress(family: local.family, port: 1)),
      ]
      found.withLock { $0 = owners }
      return .user(geteuid())
    }
    let response = try await withListener(peerCheck: check) { _, browser in try await browser.get("/", over: address) }
    #expect(found.withLock { $0 } == [.user(geteuid()), .user(geteuid()), .missing])
    #expect(response.status == 200)
  }

  /// Sends a request, and returns its status and the listener's event.
  private func request(
    connect: @escaping @Sendable (AsyncSocket, UInt16) async throws -> Void,
    by makeSocket: @escaping @Sendable () throws -> Socket
  ) async throws -> (status: Int?, events: [LoopbackListener.Event]) {
    let log = EventLog()
    let status = try await withListener(peerCheck: .system(isWSL: false), onEvent: log.add) { _, browser in
      let connection = try AsyncSocket(socket: makeSocket(), pool: browser.pool)
      defer { try? connection.close() }
      try await connect(connection, browser.port)
      try await connection.write(browser.request())
      return await browser.rest(of: connection).status
    }
    return (status, log.events)
  }

  @Test("a dual-stack socket connected to 127.0.0.1 is recognized")
  func mapped() async throws {
    let (status, events) = try await request { connection, port in
      try await connection.connect(to: .inet6(ip6: "::ffff:127.0.0.1", port: port) as sockaddr_in6)
    } by: {
      try Socket(domain: AF_INET6)
    }
    #expect(status == 200 && events == [])
  }

  @Test("the last row of a long table is found, and a table that can't be read is rejected")
  func longTable() throws {
    let folder = try Home()
    let (peer, local) = (LoopbackAddress(family: .ipv4, port: 0xA001), LoopbackAddress(family: .ipv4, port: 0x1F90))
    let row =
      "   0: 0100007F:0001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 12 1 0 20 4 30 10 -1"
    let padded = row + String(repeating: " ", count: 149 - row.utf8.count) + "\n"
    let long = String(repeating: padded, count: 16 * 1024 * 1024 / 150)
    let table = try folder.write(long + row.replacing(":0001", with: ":A001") + "\n", to: "tcp")
    #expect(SocketTable.owner(of: peer, connectedTo: local, inFileAt: table) == .user(1001))
    #expect(SocketTable.owner(of: local, connectedTo: peer, inFileAt: table) == .missing)
    #expect(SocketTable.owner(of: peer, connectedTo: local, inFileAt: "/dev/zero") == .missing)
    #expect(SocketTable.owner(of: peer, connectedTo: local, inFileAt: folder.path("absent")) == .unknown)
  }

  @Test("another loopback address than 127.0.0.1 is rejected")
  func otherAddress() async throws {
    let (status, events) = try await request { connection, port in
      try await connection.connect(to: .inet(ip4: "127.0.0.1", port: port) as sockaddr_in)
    } by: {
      let socket = try Socket(domain: AF_INET)
      try socket.bind(to: .inet(ip4: "127.0.0.2", port: 0) as sockaddr_in)
      return socket
    }
    #expect(status == 403 && events == [.unknownPeer])
  }

  @Test("a request from a closed socket is rejected")
  func orphan() async throws {
    let listener = try LoopbackListener(.ipv4, limits: .patient, peerCheck: .system(isWSL: false))
    // Sent and closed before the listener accepts it.
    let socket = try Socket(domain: AF_INET)
    try socket.connect(to: .inet(ip4: "127.0.0.1", port: listener.port) as sockaddr_in)
    _ = try socket.write(Data("GET /?code=stolen HTTP/1.1\r\nHost: 127.0.0.1:\(listener.port)\r\n\r\n".utf8))
    try socket.close()
    let outcome = OneShot<LoopbackListener.Event?>()
    let running = Task {
      try await listener.run(onEvent: { event in outcome.resume(event) }) { _ in
        outcome.resume(nil)
        return .empty(200)
      }
    }
    #expect(try await outcome.value() == .unknownPeer)
    running.cancel()
    try await running.value
  }

  @Test(
    "another user is rejected, with the kernel's query or its table",
    .enabled(if: geteuid() == 0, "needs root to become another user"),
    arguments: [true, false],
    ["127.0.0.1", "[::1]"]
  )
  func realUser(queriesKernel: Bool, address: String) async throws {
    let log = EventLog()
    let diagnosis = try #require(SocketDiagnosis())
    let check: PeerCheck = .system(isWSL: false, diagnosis: queriesKernel ? diagnosis : nil)
    let status = try await withListener(peerCheck: check, onEvent: log.add) { _, browser in
      let curl = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "http://\(address):\(browser.port)/"]
      return try await ChildProcess.output(of: ChildProcess.becoming(12_002) + curl)
    }
    #expect(status == "403")
    #expect(log.events == (queriesKernel ? [] : [.readsSocketTable]) + [.foreignUser(12002)])
  }

  @Test("another user is rejected before reading, and the sign-in continues")
  func foreignUser() async throws {
    let log = EventLog()
    let requests = Mutex(0)
    let foreignConnections = Mutex(1)
    let check = PeerCheck(ownUser: 1000) { _, _ in
      foreignConnections.withLock {
        $0 -= 1
        return .user($0 == 0 ? 1001 : 1000)
      }
    }
    let respond: @Sendable (LoopbackRequest) async -> LoopbackResponse = { _ in
      requests.withLock { $0 += 1 }
      return .empty(200)
    }
    try await withListener(peerCheck: check, onEvent: log.add, respond: respond) { _, browser in
      let statuses = [try await browser.get("/?code=stolen").status, try await browser.get("/").status]
      #expect(statuses == [403, 200])
    }
    #expect(requests.withLock { $0 } == 1 && log.events == [.foreignUser(1001)])
  }
}
