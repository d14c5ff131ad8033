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

  /// Connections alive at once: below the usual soft limit of 1,024 descriptors, above what browsers open in advance.
  package var maximumConnections = 64

  /// Age at which a connection without a whole request may be ended in favour of a new one.
  ///
  /// A browser on this machine needs about a millisecond. So idle connections cannot lock it out, and a burst of new
  /// ones cannot end its own.
  package var minimumIdleTime: Duration = .milliseconds(100)

  /// Pause after a failed `accept`: a process that is out of descriptors must not spin.
  package var acceptRetryDelay: Duration = .milliseconds(10)

  /// Time for which a closing connection still reads: closing with unread data resets the connection, and the peer
  /// would lose the response.
  package var drainTimeout: Duration = .seconds(1)

  /// Bytes that a closing connection still reads.
  package var maximumDrainBytes = 4 * 1024 * 1024

  /// Connections of other users that are answered and not closed yet.
  package var maximumRefusedConnections = 32

  /// Ports tried for a pair of sockets on one port, of which the second may be taken.
  package var maximumPortAttempts = 32

  /// The usual limits.
  package init() {}
}
