/// The host of the redirect URI, hence the addresses on which the listener waits.
package enum Host: Sendable, Equatable, CaseIterable {
  /// 127.0.0.1, which RFC 8252 §7.3 and §8.3 prefer.
  case ipv4
  /// ::1.
  case ipv6
  /// `localhost`: 127.0.0.1 and ::1 on one port, for a browser may try either first.
  case localhost

  /// The host as a URI spells it.
  package var uriHost: String {
    switch self {
    case .ipv4: "127.0.0.1"
    case .ipv6: "[::1]"
    case .localhost: "localhost"
    }
  }

  /// The `Host` values that a browser sends which was given this host's address.
  ///
  /// A page that rebinds its own name to 127.0.0.1 sends that name, and is known by it.
  ///
  /// - Parameter port: The port of the listener.
  /// - Returns: Lower-case values, each the whole header value.
  func headerValues(port: UInt16) -> Set<String> {
    // Someone who pastes the address may turn one spelling of the machine into another; all of them are this machine.
    let hosts =
      switch self {
      case .ipv4: ["127.0.0.1", "localhost"]
      case .ipv6: ["[::1]", "localhost"]
      case .localhost: ["localhost", "127.0.0.1", "[::1]"]
      }
    // RFC 9110 §7.2: the port is left out when it is the scheme's own.
    return Set(hosts.flatMap { port == 80 ? [$0, "\($0):80"] : ["\($0):\(port)"] })
  }
}
