/// The live connections, and which of them makes room for others.
struct ConnectionTable {
  private var connections: [UInt64: Connection] = [:]

  var count: Int { connections.count }
  var all: some Collection<Connection> { connections.values }

  subscript(id: UInt64) -> Connection? { connections[id] }

  mutating func insert(_ connection: Connection) { connections[connection.id] = connection }

  mutating func remove(_ connection: Connection) { connections[connection.id] = nil }

  /// The connection that makes room for a new one; nil when all are being answered.
  ///
  /// First who has an answer already; then who has waited longest for the rest of a request or of a response, for a
  /// browser sends its request at once; and when all others are being answered, the oldest whose peer has closed its
  /// sending half, although that may still wait for its answer.
  var dispensable: Connection? {
    var best: (connection: Connection, rank: Int)?
    for connection in connections.values {
      let rank: Int
      switch connection.state {
      case .draining: rank = 0
      case .deciding, .reading, .writing: rank = 1
      case .answering where connection.hasPeerClosed: rank = 2
      case .answering: continue
      }
      if let current = best, (current.rank, current.connection.id) < (rank, connection.id) { continue }
      best = (connection, rank)
    }
    return best?.connection
  }

  /// How long the connection that is to make room has still to be waited for; zero when it may end at once.
  func waitingTime(for dispensable: Connection, now: ContinuousClock.Instant, limits: Limits) -> Duration {
    if dispensable.state == .draining { return .zero }
    return max(.zero, limits.minimumIdleTime - dispensable.began.duration(to: now))
  }

  /// The connection for which most is kept in memory.
  var largest: Connection? {
    connections.values.max { ($0.heldBytes, $1.id) < ($1.heldBytes, $0.id) }
  }
}
