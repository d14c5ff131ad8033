import FlyingSocks
import Glibc
import Synchronization
import Testing

@testable import Loopback

@Suite("The peer's user", .timeLimit(.minutes(1)))
struct PeerOwnerTests {
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
    "the kernel's socket table names the peer's user",
    arguments: [
      (LoopbackAddress.Family.ipv4, UInt16(0xA001), UInt32(1001)), (.ipv4, 0xA002, nil), (.ipv6, 0xA003, 1003),
      (.ipv4, 0xA004, 1004), (.ipv4, 0xA003, nil), (.ipv6, 0xA001, nil), (.ipv4, 0xA009, nil),
    ] as [(LoopbackAddress.Family, UInt16, UInt32?)]
  )
  func table(_ family: LoopbackAddress.Family, _ port: UInt16, _ user: UInt32?) {
    let (peer, local) = (LoopbackAddress(family, port: port), LoopbackAddress(family, port: 0x1F90))
    #expect(SocketTable.owner(of: peer, connectedTo: local, in: Array(Self.table.utf8)) == user)
  }

  @Test(
    "only another user, known by number, is foreign",
    arguments: [
      (1000, 1000, nil), (1000, 1001, 1001), (1000, 0, nil), (1000, 65534, nil), (0, 1001, nil), (1000, nil, nil),
    ]
      as [(UInt32, UInt32?, UInt32?)]
  )
  func rule(_ ownUser: UInt32, _ peer: UInt32?, _ foreign: UInt32?) {
    let owner = PeerOwner(ownUser: ownUser) { _, _ in peer }
    let (here, there) = (LoopbackAddress(.ipv4, port: 1), LoopbackAddress(.ipv4, port: 2))
    #expect(owner.foreignUser(of: here, connectedTo: there) == foreign)
  }

  @Test("this machine's table knows a connection of ours", arguments: [Browser.Address.ipv4, .ipv6])
  func real(_ address: Browser.Address) async throws {
    // As seen by a process of somebody else, we are the foreign user.
    let us = geteuid() == 0 ? nil : geteuid()
    let found = Mutex<[UInt32?]>([])
    let owner = PeerOwner(ownUser: 4_000_000) { peer, local in
      let user = PeerOwner.system.user(peer, local)
      found.withLock { $0.append(user) }
      return user
    }
    let answer = try await withListener(peerOwner: owner) { _, browser in try await browser.get("/", over: address) }
    #expect(found.withLock { $0 } == [geteuid()])
    #expect(answer.status == (us == nil ? 200 : 403))
  }

  @Test("another user is told so before anything is read, and the flow goes on")
  func foreignUser() async throws {
    let events = Mutex<[LoopbackListener.Event]>([])
    let asked = Mutex(0)
    let foreignConnections = Mutex(1)
    let owner = PeerOwner(ownUser: 1000) { _, _ in
      foreignConnections.withLock {
        $0 -= 1
        return $0 == 0 ? 1001 : 1000
      }
    }
    try await withListener(
      peerOwner: owner,
      onEvent: { event in events.withLock { $0.append(event) } },
      respond: { _ in
        asked.withLock { $0 += 1 }
        return .empty(200)
      }
    ) { _, browser in
      let refused = try await browser.get("/?code=stolen").status
      #expect(refused == 403)
      let answered = try await browser.get("/").status
      #expect(answered == 200)
    }
    #expect(asked.withLock { $0 } == 1)
    #expect(events.withLock { $0 } == [.foreignUser(1001)])
  }
}
