internal import FlyingSocks
internal import Glibc

/// Binds the sockets of one listener, all on one port.
enum SocketBinder {
  /// Binds the addresses of a host.
  ///
  /// - Parameters:
  ///   - host: The host of the redirect URI.
  ///   - port: The port, or 0 for any that browsers do not block.
  ///   - limits: The number of ports to try.
  /// - Returns: One or two sockets.
  /// - Throws: `LoopbackError` with the reason of the last attempt.
  static func bind(_ host: LoopbackHost, port: UInt16, limits: Limits) throws(LoopbackError) -> [ListeningSocket] {
    guard port == 0 || !isBlockedByBrowsers(port) else {
      throw LoopbackError(
        .portNotAllowed,
        port: port,
        message: "browsers refuse to visit port \(port)"
      )
    }
    let attempts = port == 0 ? limits.maximumPortAttempts : 1
    var failure = SocketFailure(number: EADDRINUSE)
    for _ in 0..<attempts {
      do {
        let sockets = try attempt(host, port: port)
        if sockets.allSatisfy({ !isBlockedByBrowsers($0.port) }) { return sockets }
        for socket in sockets { socket.close() }
      } catch {
        failure = error
        // With any port, only the second socket of a pair can find its port in use: another pair may be free.
        guard error.number == EADDRINUSE else { break }
      }
    }
    throw LoopbackError(failure, host: host, port: port)
  }

  private static func attempt(_ host: LoopbackHost, port: UInt16) throws(SocketFailure) -> [ListeningSocket] {
    switch host {
    case .ipv4: return [try ipv4(port: port)]
    case .ipv6: return [try ipv6(port: port)]
    case .localhost:
      let first = try ipv4(port: port)
      do {
        return [first, try ipv6(port: first.port)]
      } catch {
        // A kernel without IPv6, or without its loopback address: no browser can reach ::1 either.
        if error.number == EAFNOSUPPORT || error.number == EADDRNOTAVAIL { return [first] }
        first.close()
        throw error
      }
    }
  }

  static func ipv4(port: UInt16) throws(SocketFailure) -> ListeningSocket {
    let address: sockaddr_in
    do { address = try .inet(ip4: "127.0.0.1", port: port) } catch { throw SocketFailure(error) }
    return try ListeningSocket(address, reusing: port != 0)
  }

  static func ipv6(port: UInt16) throws(SocketFailure) -> ListeningSocket {
    try ListeningSocket(sockaddr_in6.loopback(port: port), reusing: port != 0)
  }

  /// Whether Chromium and Firefox refuse an `http` address with this port (WHATWG Fetch §2.9, "bad port").
  static func isBlockedByBrowsers(_ port: UInt16) -> Bool { blockedPorts.contains(port) }

  private static let blockedPorts: Set<UInt16> = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
    532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060,
    5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
  ]
}

/// A socket that listens on one loopback address, and that no child process inherits.
struct ListeningSocket: Sendable {
  let descriptor: Int32
  /// The address that is listened on.
  let address: LoopbackAddress
  var port: UInt16 { address.port }

  /// Binds and listens.
  ///
  /// - Parameters:
  ///   - address: The loopback address, IPv4 or IPv6.
  ///   - reusing: Whether the port may be bound while connections of an earlier run still wind down. It allows no second
  ///     listener: Linux allows that for `SO_REUSEPORT` alone, which is never set.
  /// - Throws: `SocketFailure` with the system's error number.
  init(_ address: some SocketAddress, reusing: Bool) throws(SocketFailure) {
    let family = Int32(type(of: address).family)
    let descriptor = Glibc.socket(family, Self.kind, 0)
    guard descriptor >= 0 else { throw SocketFailure(number: errno) }
    let socket = Socket(file: .init(rawValue: descriptor))
    do {
      if family == AF_INET6 {
        try socket.setValue(true, for: BoolSocketOption(level: Int32(IPPROTO_IPV6), name: IPV6_V6ONLY))
      }
      if reusing { try socket.setValue(true, for: .localAddressReuse) }
      try socket.bind(to: address)
      guard Glibc.listen(descriptor, SOMAXCONN) == 0 else { throw SocketError.makeFailed("Listen") }
      switch try socket.sockname() {
      case .ip4(_, let port): self.address = LoopbackAddress(.ipv4, port: port)
      case .ip6(_, let port): self.address = LoopbackAddress(.ipv6, port: port)
      case .unix: throw SocketError.unsupportedAddress
      }
    } catch {
      Glibc.close(descriptor)
      throw SocketFailure(error)
    }
    self.descriptor = descriptor
  }

  private static let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)

  /// Refuses new connections and frees the port.
  func close() {
    // A child process has the descriptor too, between its fork and its exec.
    shutDown()
    Glibc.close(descriptor)
  }

  /// Ends a pending `accept` and refuses new connections, at once; the descriptor stays open.
  func shutDown() { Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// The system's error number of a socket's call that failed.
struct SocketFailure: Error {
  let number: Int32

  init(number: Int32) { self.number = number }

  init(_ error: any Error) {
    if case .failed(_, let number, _)? = error as? SocketError { self.number = number } else { self.number = EINVAL }
  }
}
