internal import FlyingSocks
internal import Glibc

/// The sockets of one listener, all on one port.
enum Binding {
  /// Binds the addresses of a host.
  ///
  /// - Parameters:
  ///   - host: The host of the redirect URI.
  ///   - port: The port, or 0 for any that browsers visit.
  ///   - limits: How many ports to try.
  /// - Returns: One or two sockets, at least one.
  /// - Throws: `LoopbackError`.
  static func sockets(_ host: Host, port: UInt16, limits: Limits) throws(LoopbackError) -> [ListeningSocket] {
    guard port == 0 || !BrowserPorts.refuse(port) else {
      throw LoopbackError(
        .portNotAllowed,
        port: port,
        message: "browsers refuse to visit port \(port); choose another port for the redirect URI"
      )
    }
    let attempts = port == 0 ? limits.portAttempts : 1
    var failure = BindFailure(number: EADDRINUSE)
    for _ in 0..<attempts {
      do {
        let sockets = try attempt(host, port: port)
        if sockets.allSatisfy({ !BrowserPorts.refuse($0.port) }) { return sockets }
        for socket in sockets { socket.close() }
      } catch {
        failure = error
        // Only the second socket of a pair can meet a port in use when any port will do: another pair may be free.
        guard error.number == EADDRINUSE else { break }
      }
    }
    throw LoopbackError(failure, host: host, port: port)
  }

  private static func attempt(_ host: Host, port: UInt16) throws(BindFailure) -> [ListeningSocket] {
    switch host {
    case .ipv4: return [try ipv4(port: port)]
    case .ipv6: return [try ipv6(port: port)]
    case .localhost:
      let first = try ipv4(port: port)
      do {
        return [first, try ipv6(port: first.port)]
      } catch {
        // A kernel without IPv6, or with its loopback address taken away: no browser can reach ::1 either.
        if error.number == EAFNOSUPPORT || error.number == EADDRNOTAVAIL { return [first] }
        first.close()
        throw error
      }
    }
  }

  private static func ipv4(port: UInt16) throws(BindFailure) -> ListeningSocket {
    let address: sockaddr_in
    do { address = try .inet(ip4: "127.0.0.1", port: port) } catch { throw BindFailure(error) }
    return try ListeningSocket(address, reusing: port != 0)
  }

  private static func ipv6(port: UInt16) throws(BindFailure) -> ListeningSocket {
    try ListeningSocket(sockaddr_in6.loopback(port: port), reusing: port != 0)
  }
}

extension LoopbackError {
  init(_ failure: BindFailure, host: Host, port: UInt16) {
    let place = port == 0 ? "a port of \(host.uriHost)" : "port \(port) of \(host.uriHost)"
    switch failure.number {
    case EADDRINUSE:
      self.init(.portInUse, port: port, message: "cannot listen on \(place): another program listens there")
    case EACCES, EPERM:
      self.init(.portNotAllowed, port: port, message: "cannot listen on \(place): this user may not")
    case EADDRNOTAVAIL, EAFNOSUPPORT:
      self.init(.addressUnavailable, port: port, message: "cannot listen on \(place): this machine has no such address")
    case EMFILE, ENFILE, ENOBUFS, ENOMEM:
      self.init(.tooManyFiles, port: port, message: "cannot listen on \(place): no descriptors or memory left")
    default:
      let reason = String(cString: strerror(failure.number))
      self.init(.system, port: port, message: "cannot listen on \(place): \(reason)")
    }
  }
}
