import Glibc

/// Every bound that the listener enforces, so that no peer can block or exhaust it.
package struct ListenerLimits: Sendable {
  /// Request line and header: the line of a query redirect has a code (2 KB for Microsoft), a state and an error
  /// description, and all ports share the cookies of `localhost`, often more than the usual 8 KB.
  var maximumHeadBytes = 64 * 1024

  /// Browsers send about twenty.
  var maximumHeaderFields = 128

  /// A form post carries a code, a state, an ID token at most.
  var maximumBodyBytes = 64 * 1024

  /// From the connection to the end of the request.
  package var requestTimeout: Duration = .seconds(10)

  var responseTimeout: Duration = .seconds(10)

  /// The more connections, the longer a flood takes to evict the browser's, and the more memory it can hold: up to about
  /// 200 KiB each, for a header, its fields and a body.
  var maximumConnections = 512

  /// Closing with unread data resets the connection, and the peer would lose the response.
  var drainTimeout: Duration = .seconds(1)

  /// Peers that never stop sending would slow all others for the whole second.
  var maximumDrainBytes = 2 * 1024 * 1024

  package init() {}

  /// These limits, with half of the process's descriptors for connections: the rest of the sign-in needs some too, and
  /// Swift's runtime ends the process if it runs out of them.
  func fitting(descriptors: Int = descriptorLimit) -> ListenerLimits {
    var limits = self
    limits.maximumConnections = min(maximumConnections, max(4, descriptors / 2))
    return limits
  }

  private static var descriptorLimit: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 64 }
    return Int(clamping: limit.rlim_cur)
  }
}
