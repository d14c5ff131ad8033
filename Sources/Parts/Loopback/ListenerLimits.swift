import Glibc

/// Every bound that the listener enforces, so that no peer can block or exhaust it.
package struct ListenerLimits: Sendable {
  /// The request line and the header: a redirect's line has a code (2 KB for Microsoft), a state and an error description;
  /// all ports share the cookies of `localhost`, which often exceed the usual 8 KB.
  var maximumHeadBytes = 64 * 1024

  /// Browsers send about twenty.
  var maximumHeaderFields = 128

  /// A form post has at most a code, a state and an ID token.
  var maximumBodyBytes = 64 * 1024

  /// From accepting the connection to the end of the request.
  var requestTimeout: Duration = .seconds(10)

  var responseTimeout: Duration = .seconds(10)

  /// With more connections, a flood takes longer to evict the browser's, but can hold more memory: up to about 200 KiB for
  /// each header with its fields and body.
  var maximumConnections = 512

  /// How long to discard input after the response: closing with unread data resets the connection, and the peer would lose
  /// the response.
  var drainTimeout: Duration = .seconds(1)

  /// A peer that never stops sending would slow all others down for that time.
  var maximumDrainBytes = 2 * 1024 * 1024

  init() {}

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
