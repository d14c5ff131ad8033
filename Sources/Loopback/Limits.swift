internal import Glibc

/// Every bound that the listener enforces, so that no peer can block or exhaust it.
package struct Limits: Sendable {
  /// A query redirect carries a code (2 KB for Microsoft), a state and an error description.
  package var maximumRequestLineBytes = 16 * 1024

  /// Request line and header together.
  ///
  /// Cookies of `localhost` are shared by all ports, and development machines send far more than the 8 KB that most
  /// servers allow.
  package var maximumHeadBytes = 64 * 1024

  /// Browsers send about twenty.
  package var maximumHeaderFields = 128

  /// A form post carries a code, a state, an ID token at most.
  package var maximumBodyBytes = 64 * 1024

  /// From the connection to the end of the request.
  package var requestTimeout: Duration = .seconds(10)

  package var responseTimeout: Duration = .seconds(10)

  /// The longer a flood takes to end the browser's connection, the better; a browser sends its request within a
  /// millisecond or so.
  package var maximumConnections = 512

  /// Unfinished requests and unwritten responses of all connections together: 64 of the longest headers.
  package var maximumHeldBytes = 4 * 1024 * 1024

  /// Connections accepted before those that are ready are served again: few enough that none of them ends another.
  var maximumAcceptedAtOnce: Int { max(1, maximumConnections / 8) }

  /// Age before which no connection ends for another: where there are few places, a flood would else end the browser's
  /// before its request has arrived.
  package var minimumAge: Duration = .milliseconds(10)

  /// Milliseconds between two looks at the deadlines, and for which nothing is accepted when there is no room.
  package var tick: Int32 = 10

  /// Closing with unread data resets the connection, and the peer would lose the response.
  package var drainTimeout: Duration = .seconds(1)

  /// Connections that are answered and not closed yet, so that another user's flood takes no room.
  package var maximumDraining = 32

  package var maximumDrainBytes = 2 * 1024 * 1024

  /// Ports tried for a pair of sockets on one port, of which the second may be taken.
  package var maximumPortAttempts = 32

  package init() {}

  /// These limits, with half of the process's descriptors for connections: the rest of the sign-in needs some too, and
  /// Swift's runtime ends the process when it cannot open what it needs.
  func fitting(descriptors: Int = ownDescriptors) -> Limits {
    var limits = self
    limits.maximumConnections = min(maximumConnections, max(4, descriptors / 2))
    return limits
  }

  private static var ownDescriptors: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 64 }
    return Int(clamping: limit.rlim_cur)
  }
}
