/// Every bound that the listener keeps, so that no peer can hold it or fill it.
package struct Limits: Sendable {
  /// Bytes of the request line: a query redirect carries a code, which Microsoft makes up to 2 KB long, a state and an
  /// error description; 16 KiB is several times the longest seen.
  package var requestLine = 16 * 1024

  /// Bytes of request line and header together: cookies of `localhost` are shared by all ports, and development
  /// machines send far more than the 8 KB that most servers allow.
  package var head = 64 * 1024

  /// Header fields: browsers send about twenty.
  package var fields = 128

  /// Bytes of a form post: a code, a state, an ID token at most.
  package var body = 64 * 1024

  /// Parameters of a redirect: RFC 6749 and its extensions define about ten.
  package var parameters = 64

  /// Time from the connection to the whole request: a browser sends it in one go, a slow-header attack never ends.
  package var request: Duration = .seconds(10)

  /// Time to hand the response to the peer: pages are small and the peer is on this machine.
  package var response: Duration = .seconds(10)

  /// Connections alive at once: below the usual soft limit of 1,024 descriptors, above what browsers open in advance.
  package var connections = 64

  /// Time that a connection may keep its place without a whole request when others want it: a browser on this machine
  /// needs about a millisecond, so that idle connections cannot lock it out, nor a burst throw it out.
  package var patience: Duration = .milliseconds(100)

  /// Pause after a failed `accept`: a process out of descriptors must not spin.
  package var acceptPause: Duration = .milliseconds(10)

  /// Time and bytes for which a closing connection still reads: closing with unread data resets the connection, and
  /// the peer would lose the answer.
  package var drain: Duration = .seconds(1)
  package var drainBytes = 4 * 1024 * 1024

  /// Ports tried for a pair of sockets on one port, of which the second may be taken.
  package var portAttempts = 32

  /// The usual limits.
  package init() {}
}
