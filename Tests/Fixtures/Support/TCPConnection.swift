import Glibc
import Synchronization

/// A bare TCP connection to a port of this machine that sends and reads whatever a test wants.
///
/// Its methods block: call them in ``blocking(_:)``.
package final class TCPConnection: Sendable {
  private let descriptor: Int32

  /// Connects.
  ///
  /// - Parameters:
  ///   - port: The port.
  ///   - usesIPv6: Whether it is that of ::1 instead of 127.0.0.1.
  ///   - timeout: Seconds that one read or write may take.
  /// - Throws: ``TestFailure`` when nobody listens there.
  package init(port: UInt16, usesIPv6: Bool = false, timeout: Int = 120) throws {
    let family = usesIPv6 ? AF_INET6 : AF_INET
    descriptor = try check(socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0), "socket")
    var limit = timeval(tv_sec: timeout, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let result = usesIPv6 ? connect(to: Self.loopbackIPv6(port: port)) : connect(to: LocalListener.address(port: port))
    // What is thrown here still ends in deinit, which closes the socket.
    try check(result, "connect to \(usesIPv6 ? "[::1]" : "127.0.0.1"):\(port)")
  }

  private func connect<Address>(to address: Address) -> Int32 {
    withUnsafeBytes(of: address) { bytes in
      Glibc.connect(
        descriptor,
        bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        socklen_t(bytes.count)
      )
    }
  }

  private static func loopbackIPv6(port: UInt16) -> sockaddr_in6 {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    return address
  }

  init(taking descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Sends all of the bytes.
  ///
  /// - Parameter bytes: What to send.
  /// - Throws: ``TestFailure`` when the other side has hung up or takes nothing more.
  package func send(_ bytes: some Collection<UInt8>) throws {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      try check(Int32(count), "send")
      rest = rest.dropFirst(count)
    }
  }

  /// Reads what is there, waiting for the first byte; empty when the other side has finished.
  ///
  /// - Returns: The bytes.
  /// - Throws: ``TestFailure`` when nothing comes in time or the connection was reset.
  package func receive() throws -> [UInt8] {
    try readSome(descriptor)
  }

  /// Lets the other side know that no more will come.
  package func finishSending() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Ends the connection in both directions, so that a blocked read returns.
  func shutDown() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}

/// A listening socket on 127.0.0.1.
package final class LocalListener: Sendable {
  private let descriptor: Int32
  package let port: UInt16

  /// - Parameter wanted: Where to listen; 0 for any free port.
  /// - Throws: ``TestFailure`` when somebody else listens there.
  package init(port wanted: UInt16 = 0) throws {
    let descriptor = try check(socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0), "socket")
    self.descriptor = descriptor
    var address = Self.address(port: wanted)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(descriptor, raw, size) == 0 && listen(descriptor, 128) == 0 && getsockname(descriptor, raw, &size) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    // What is thrown here still ends in deinit, which closes the socket.
    guard bound else { throw TestFailure("bind to 127.0.0.1: \(String(cString: strerror(errno)))") }
  }

  deinit {
    close(descriptor)
  }

  /// Waits for a connection; nil when the listener was shut down.
  func accept() -> TCPConnection? {
    while true {
      let connection = Glibc.accept(descriptor, nil, nil)
      if connection >= 0 {
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        return TCPConnection(taking: connection)
      }
      if errno != EINTR, errno != ECONNABORTED { return nil }
    }
  }

  /// Ends the wait in ``accept()``, and refuses who connects from now on.
  func shutDown() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    return address
  }
}

/// A port of 127.0.0.1 on which nobody listens now, and which no other caller gets.
///
/// Below those that Linux gives away by itself (ip(7)): one of these would soon be another test's.
package func freePort() throws -> UInt16 {
  for _ in 0..<100 {
    let port = UInt16.random(in: 20_000..<32_000)
    if portsGiven.withLock({ $0.insert(port).inserted }), (try? LocalListener(port: port)) != nil { return port }
  }
  throw TestFailure("no port between 20000 and 32000 is free")
}

/// What ``freePort()`` returned: the caller may not listen there yet.
private let portsGiven = Mutex<Set<UInt16>>([])
