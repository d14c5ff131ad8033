internal import FlyingSocks
internal import Glibc

/// A socket that listens on one loopback address, and that no child process inherits.
struct ListeningSocket: Sendable {
  let socket: Socket
  let port: UInt16

  /// Binds and listens.
  ///
  /// - Parameters:
  ///   - address: The loopback address, IPv4 or IPv6.
  ///   - reusing: Whether connections of an earlier run that still wind down may be passed over. It lets no second
  ///     listener in: Linux allows that for `SO_REUSEPORT` alone, which is never set.
  /// - Throws: `BindFailure` with the system's error number.
  init(_ address: some SocketAddress, reusing: Bool) throws(BindFailure) {
    let family = Int32(type(of: address).family)
    let descriptor = Glibc.socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw BindFailure(number: errno) }
    let socket = Socket(file: .init(rawValue: descriptor))
    do {
      if family == AF_INET6 {
        try socket.setValue(true, for: BoolSocketOption(level: Int32(IPPROTO_IPV6), name: IPV6_V6ONLY))
      }
      if reusing { try socket.setValue(true, for: .localAddressReuse) }
      try socket.bind(to: address)
      guard Glibc.listen(descriptor, SOMAXCONN) == 0 else { throw SocketError.makeFailed("Listen") }
      switch try socket.sockname() {
      case .ip4(_, let port), .ip6(_, let port): self.port = port
      case .unix: throw SocketError.unsupportedAddress
      }
    } catch {
      Glibc.close(descriptor)
      throw BindFailure(error)
    }
    self.socket = socket
  }

  /// Gives the port back.
  func close() { Glibc.close(socket.file.rawValue) }

  /// Ends the waiting of whoever accepts, and refuses new connections, at once; the descriptor stays the owner's.
  func shut() { Glibc.shutdown(socket.file.rawValue, Int32(SHUT_RDWR)) }
}

/// The system's reason not to bind.
struct BindFailure: Error {
  let number: Int32

  init(number: Int32) { self.number = number }

  init(_ error: any Error) {
    if case .failed(_, let number, _)? = error as? SocketError { self.number = number } else { self.number = EINVAL }
  }
}
