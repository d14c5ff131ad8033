internal import Glibc

/// Connections that are refused before anything is read, and closed a little later: closing with unread data resets the
/// connection, and the peer would lose the response.
struct RefusedConnections {
  private let limits: Limits
  private var open: [(descriptor: Int32, since: ContinuousClock.Instant)] = []

  init(limits: Limits) { self.limits = limits }

  /// When the oldest is to be closed.
  var nextDeadline: ContinuousClock.Instant? { open.first.map { $0.since + limits.drainTimeout } }

  mutating func refuse(_ descriptor: Int32, _ response: [UInt8], now: ContinuousClock.Instant) {
    // Fits into the empty buffer of a new connection.
    _ = send(descriptor, response, response.count, Int32(MSG_NOSIGNAL))
    shutdown(descriptor, Int32(SHUT_WR))
    open.append((descriptor, now))
    while open.count > limits.maximumRefusedConnections { discard(open.removeFirst().descriptor) }
    expire(now: now)
  }

  /// Closes those whose time is over.
  mutating func expire(now: ContinuousClock.Instant) {
    while let deadline = nextDeadline, deadline <= now { discard(open.removeFirst().descriptor) }
  }

  mutating func closeAll() {
    for connection in open { discard(connection.descriptor) }
    open.removeAll()
  }

  private func discard(_ descriptor: Int32) {
    // What has come is discarded without being copied (tcp(7)).
    recv(descriptor, nil, limits.maximumHeadBytes, Int32(MSG_DONTWAIT | MSG_TRUNC))
    close(descriptor)
  }
}
