import Testing

@testable import Loopback

@Suite("Bounding connections")
struct ConnectionTableTests {
  /// Connections in these states, the oldest first; `closed` is one that is answered and has closed its sending half.
  private func table(_ states: [(Connection.State, closed: Bool)]) -> ConnectionTable {
    var table = ConnectionTable()
    for (id, state) in states.enumerated() {
      // A number that no descriptor has.
      let connection = Connection(id: UInt64(id), descriptor: -1, state: state.0, limits: Limits())
      connection.hasPeerClosed = state.closed
      table.insert(connection)
    }
    return table
  }

  @Test(
    "who makes room: first who has an answer, then the oldest that is incomplete, last who may not wait any more",
    arguments: [
      ([], nil),
      ([.answering], nil),
      ([.reading, .reading], 0),
      ([.answering, .reading, .reading], 1),
      ([.deciding, .reading], 0),
      ([.writing, .reading], 0),
      ([.reading, .draining, .draining], 1),
    ] as [([Connection.State], UInt64?)]
  )
  func dispensable(_ states: [Connection.State], _ id: UInt64?) {
    #expect(table(states.map { ($0, false) }).dispensable?.id == id)
  }

  @Test("a peer that closed its sending half keeps its connection while another can be ended")
  func peerClosed() {
    #expect(table([(.answering, true), (.reading, false)]).dispensable?.id == 1)
    #expect(table([(.answering, false), (.answering, true), (.answering, true)]).dispensable?.id == 1)
  }

  @Test("a connection is given its least time, but for one that has its answer")
  func minimumIdleTime() throws {
    let table = table([(.reading, false), (.draining, false)])
    let (reading, draining) = (try #require(table[0]), try #require(table[1]))
    func rest(_ connection: Connection, after age: Duration) -> Duration {
      table.waitingTime(for: connection, now: connection.began + age, limits: Limits())
    }
    #expect(rest(reading, after: .zero) == .milliseconds(10))
    #expect(rest(reading, after: .milliseconds(9)) == .milliseconds(1))
    #expect(rest(reading, after: .milliseconds(10)) == .zero)
    #expect(rest(reading, after: .seconds(10)) == .zero)
    #expect(rest(draining, after: .zero) == .zero)
  }

  @Test("of the connections that hold bytes, the one with most is found, and of equal ones the oldest")
  func largest() throws {
    let table = table([(.reading, false), (.reading, false), (.writing, false)])
    #expect(table.largest?.id == 0)
    _ = try table[1]?.reader.read(Array("GET / HT".utf8))
    #expect(table.largest?.id == 1)
    table[2]?.output = [1, 2, 3, 4, 5, 6, 7, 8]
    #expect(table.largest?.id == 1)
    table[2]?.output.append(9)
    #expect(table.largest?.id == 2)
  }

  @Test(
    "half of the process's descriptors are for connections, and never more than the limit",
    arguments: [
      (1_024, 512, 32), (1_023, 511, 32), (65_536, 512, 32), (64, 32, 8), (256, 128, 32), (4, 4, 1), (0, 4, 1),
    ]
  )
  func descriptors(_ descriptors: Int, _ connections: Int, _ refused: Int) {
    let limits = Limits().fitting(descriptors: descriptors)
    #expect(limits.maximumConnections == connections)
    #expect(limits.maximumRefusedConnections == refused)
    var few = Limits()
    few.maximumConnections = 2
    #expect(few.fitting(descriptors: descriptors).maximumConnections == 2)
  }
}
