internal import CMSAuthLinux
internal import Glibc
internal import MSAuthCore

/// Binds the sockets of one listener, all on one port.
enum SocketBinder {
  /// Binds one or two sockets for a host; with port 0, to a port that browsers don't block.
  static func bind(_ host: LoopbackHost, port: UInt16) throws(AuthenticationError) -> [ListeningSocket] {
    guard port == 0 || !isBlockedByBrowsers(port) else {
      let message = "browsers refuse to visit port \(port)"
      throw AuthenticationError(.listenerFailed, message, reason: "port_not_allowed", hint: .otherPort)
    }
    var error = EADDRINUSE
    // With port 0, the port of the first socket may be in use in the other family; another pair may be free.
    for _ in 0..<(port == 0 ? 32 : 1) where error == EADDRINUSE {
      if let sockets = attempt(host, port: port) {
        if sockets.allSatisfy({ !isBlockedByBrowsers($0.port) }) { return sockets }
        for socket in sockets { socket.close() }
      } else {
        error = errno
      }
    }
    throw .notListening(error, on: host.uriHost, port: port)
  }

  /// Binds the sockets once; `nil` with `errno` on failure.
  private static func attempt(_ host: LoopbackHost, port: UInt16) -> [ListeningSocket]? {
    guard host != .ipv6 else { return ListeningSocket(.ipv6, port: port).map { [$0] } }
    guard let first = ListeningSocket(.ipv4, port: port) else { return nil }
    guard host == .localhost else { return [first] }
    if let second = ListeningSocket(.ipv6, port: first.port) { return [first, second] }
    let error = errno
    // A kernel without IPv6, or without its loopback address: no browser can reach ::1 either.
    if error == EAFNOSUPPORT || error == EADDRNOTAVAIL { return [first] }
    first.close()
    errno = error
    return nil
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

  /// Binds and listens, on a loopback address unless another is named, with port 0 on a port that the system chooses;
  /// `nil` with `errno` on failure.
  init?(_ family: LoopbackAddress.Family, host: String? = nil, port: UInt16) {
    var port = port
    descriptor = linux_listen(family == .ipv4, host, &port)
    guard descriptor >= 0 else { return nil }
    address = LoopbackAddress(family: family, port: port)
  }

  /// Accepts a connection without waiting, or returns `nil` with `errno`; the peer is `nil` unless it is 127.0.0.1 or ::1.
  func accept() -> (Int32, LoopbackAddress?)? {
    var port: UInt16 = 0
    let connection = linux_accept(descriptor, &port)
    guard connection >= 0 else { return nil }
    return (connection, port == 0 ? nil : LoopbackAddress(family: address.family, port: port))
  }

  func close() {
    // A child process has the descriptor too between its fork and its exec, so closing alone may not free the port.
    shutDown()
    Glibc.close(descriptor)
  }

  /// Rejects new connections at once; the descriptor stays open.
  func shutDown() { Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) }
}

extension Hint {
  fileprivate static let otherPort: Hint = "register a redirect URI with another port, from 1024 on, and use that"
}

extension AuthenticationError {
  /// The failure to listen, from an `errno`.
  static func notListening(_ error: Int32, on host: String, port: UInt16) -> AuthenticationError {
    let stop: Hint = "stop the program that uses port \(port), or register another redirect URI"
    let (reason, words, hint): (AuthenticationError.Reason, String, Hint?) =
      switch error {
      case EADDRINUSE where port == 0: ("port_in_use", "every port is in use", nil)
      case EADDRINUSE: ("port_in_use", "another program listens there", stop)
      case EACCES, EPERM:
        ("port_not_allowed", 1..<1024 ~= port ? "ports below 1024 are for root" : "permission denied", .otherPort)
      case EADDRNOTAVAIL, EAFNOSUPPORT: ("address_unavailable", "this machine has no such address", nil)
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: ("too_many_files", "no descriptors or memory left", nil)
      default: ("system", String(cString: strerror(error)), nil)
      }
    let target = port == 0 ? "a port of \(host)" : "port \(port) of \(host)"
    return AuthenticationError(.listenerFailed, "can't listen on \(target): \(words)", reason: reason, hint: hint)
  }
}
