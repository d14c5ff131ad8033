internal import CLinux
internal import Glibc

/// Binds the sockets of one listener, all on one port.
enum SocketBinder {
  /// Binds one or two sockets for a host; with port 0 to a port that browsers do not block.
  static func bind(_ host: LoopbackHost, port: UInt16, attempts: Int) throws(LoopbackError) -> [ListeningSocket] {
    guard port == 0 || !isBlockedByBrowsers(port) else {
      throw LoopbackError(.portNotAllowed, port: port, message: "browsers refuse to visit port \(port)")
    }
    var failure = SocketFailure(number: EADDRINUSE)
    for _ in 0..<(port == 0 ? attempts : 1) {
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
    case .ipv4: return [try ListeningSocket(.ipv4, port: port)]
    case .ipv6: return [try ListeningSocket(.ipv6, port: port)]
    case .localhost:
      let first = try ListeningSocket(.ipv4, port: port)
      do {
        return [first, try ListeningSocket(.ipv6, port: first.port)]
      } catch {
        // A kernel without IPv6, or without its loopback address: no browser can reach ::1 either.
        if error.number == EAFNOSUPPORT || error.number == EADDRNOTAVAIL { return [first] }
        first.close()
        throw error
      }
    }
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
  let address: LoopbackAddress
  var port: UInt16 { address.port }

  static let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)

  /// Binds and listens; with port 0 the system chooses one.
  init(_ family: LoopbackAddress.Family, port: UInt16) throws(SocketFailure) {
    let descriptor = socket(family == .ipv4 ? AF_INET : AF_INET6, Self.kind, 0)
    guard descriptor >= 0 else { throw SocketFailure(number: errno) }
    if port != 0 {
      // Connections of an earlier run may still wind down. It allows no second listener: Linux allows that for
      // SO_REUSEPORT alone, which is never set.
      var one: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    }
    let bound: UInt16?
    switch family {
    case .ipv4:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      bound = Self.listen(descriptor, &address) ? address.sin_port : nil
    case .ipv6:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
      bound = Self.listen(descriptor, &address) ? address.sin6_port : nil
    }
    guard let bound else {
      let failure = SocketFailure(number: errno)
      Glibc.close(descriptor)
      throw failure
    }
    self.descriptor = descriptor
    self.address = LoopbackAddress(family, port: UInt16(bigEndian: bound))
  }

  /// Binds to an address, which becomes the one that the system chose, and listens.
  private static func listen<Address>(_ descriptor: Int32, _ address: inout Address) -> Bool {
    var size = socklen_t(MemoryLayout<Address>.size)
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && Glibc.listen(descriptor, SOMAXCONN) == 0
          && getsockname(descriptor, $0, &size) == 0
      }
    }
  }

  /// Accepts a connection without waiting for one: its descriptor, which does not block and is not inherited, and its
  /// peer, nil when that is not 127.0.0.1 or ::1.
  func accept() throws(SocketFailure) -> (Int32, LoopbackAddress?) {
    var port: UInt16 = 0
    let connection = linux_accept(descriptor, &port)
    guard connection >= 0 else { throw SocketFailure(number: errno) }
    return (connection, port == 0 ? nil : LoopbackAddress(address.family, port: port))
  }

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
}
