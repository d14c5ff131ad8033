internal import Glibc

/// Every bound that the listener enforces, so that no peer can block it or exhaust it.
package struct Limits: Sendable {
  /// Bytes of the request line.
  ///
  /// A query redirect carries a code, which Microsoft makes up to 2 KB long, a state and an error description; 16 KiB is
  /// several times the longest seen.
  package var maximumRequestLineBytes = 16 * 1024

  /// Bytes of the request line and header together.
  ///
  /// Cookies of `localhost` are shared by all ports, and development machines send far more than the 8 KB that most
  /// servers allow.
  package var maximumHeadBytes = 64 * 1024

  /// Header fields: browsers send about twenty.
  package var maximumHeaderFields = 128

  /// Bytes of a form post: a code, a state, an ID token at most.
  package var maximumBodyBytes = 64 * 1024

  /// Time from the connection to the end of the request: a browser sends it in one go, a slow-header attack never ends.
  package var requestTimeout: Duration = .seconds(10)

  /// Time to write the response: pages are small and the peer is on this machine.
  package var responseTimeout: Duration = .seconds(10)

  /// Connections alive at once: half of the usual soft limit of 1,024 descriptors, and far above what browsers open in
  /// advance.
  ///
  /// A new one is never refused for those that idle: the oldest of them is ended for it. The more there may be, the
  /// longer a flood takes to reach the browser's own, which sends its request within a millisecond or so.
  package var maximumConnections = 512

  /// Age that a connection has had before it ends for a new one, which waits for that.
  ///
  /// Where there are few places, a flood would otherwise end the browser's connection before its request has come.
  package var minimumIdleTime: Duration = .milliseconds(10)

  /// Connections of other users that are answered and not closed yet.
  package var maximumRefusedConnections = 32

  /// Of the descriptors that the process may have (`RLIMIT_NOFILE`), one in so many is for connections: the rest of the
  /// sign-in needs some too, and what Swift's runtime cannot open ends the process.
  package var descriptorShare = 2

  /// Bytes of unfinished requests and unwritten responses, of all connections together: 64 of the longest headers.
  package var maximumHeldBytes = 4 * 1024 * 1024

  /// Connections accepted at once, before those that are ready are served again.
  package var maximumAcceptedAtOnce = 16

  /// Time for which a new connection waits when all others are being answered; then it is answered with status 503.
  package var fullTimeout: Duration = .milliseconds(100)

  /// Pause after a failed `accept`: a process that is out of descriptors must not spin.
  package var acceptRetryDelay: Duration = .milliseconds(10)

  /// Time for which a closing connection still reads: closing with unread data resets the connection, and the peer
  /// would lose the response.
  package var drainTimeout: Duration = .seconds(1)

  /// Bytes that a closing connection still reads.
  package var maximumDrainBytes = 2 * 1024 * 1024

  /// Ports tried for a pair of sockets on one port, of which the second may be taken.
  package var maximumPortAttempts = 32

  /// The usual limits.
  package init() {}

  /// These limits, lowered to what a process may open.
  ///
  /// - Parameter descriptors: How many descriptors that is; this process's limit when nil.
  /// - Returns: Limits of at least some connections.
  func fitting(descriptors: Int? = nil) -> Limits {
    var limits = self
    let share = (descriptors ?? Self.descriptors) / descriptorShare
    limits.maximumConnections = min(maximumConnections, max(4, share))
    limits.maximumRefusedConnections = min(maximumRefusedConnections, max(1, share / 4))
    return limits
  }

  private static var descriptors: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 64 }
    return Int(clamping: limit.rlim_cur)
  }
}
