import Glibc
import Synchronization

/// A blocking TCP connection to a local port, for use in ``blocking(_:)``.
package final class TCPConnection: Sendable {
  private let descriptor: Int32

  package init(port: UInt16, timeout: Int = 120) throws {
    descriptor = try check(socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0), "socket")
    var limit = timeval(tv_sec: timeout, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let result = withUnsafeBytes(of: LocalListener.address(port: port)) { bytes in
      connect(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    // If this throws, deinit closes the socket.
    try check(result, "connect to 127.0.0.1:\(port)")
  }

  init(taking descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  package func send(_ bytes: some Collection<UInt8>) throws {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      try check(Int32(count), "send")
      rest = rest.dropFirst(count)
    }
  }

  /// Reads the available bytes, waiting for the first; empty after the peer's end.
  package func receive() throws -> [UInt8] {
    try readSome(descriptor)
  }

  /// Reads an HTTP message; one without a length ends with its head or with the connection.
  func receiveMessage(endsWithConnection: Bool) throws -> (head: String, body: String)? {
    var bytes: [UInt8] = []
    while true {
      let more = try receive()
      bytes += more
      if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
        let (head, body) = (String(decoding: bytes[..<end.lowerBound], as: UTF8.self), bytes[end.upperBound...])
        let field = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        let given = field.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
        let length = given ?? (endsWithConnection ? .max : 0)
        if body.count >= length || more.isEmpty && endsWithConnection {
          return (head, String(decoding: body.prefix(length), as: UTF8.self))
        }
      }
      if more.isEmpty { return nil }
    }
  }

  package func finishSending() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Ends the connection in both directions, so that a blocked read returns.
  package func shutDown() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}

/// A listening socket on 127.0.0.1.
package final class LocalListener: Sendable {
  private let descriptor: Int32
  package let port: UInt16

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
    // If this throws, deinit closes the socket.
    guard bound else { throw TestFailure("bind to 127.0.0.1: \(String(cString: strerror(errno)))") }
  }

  deinit {
    close(descriptor)
  }

  /// Waits for a connection; `nil` after a shutdown.
  package func accept() -> TCPConnection? {
    while true {
      let connection = Glibc.accept(descriptor, nil, nil)
      if connection >= 0 {
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        return TCPConnection(taking: connection)
      }
      if errno != EINTR, errno != ECONNABORTED { return nil }
    }
  }

  /// Ends the wait in ``accept()``, and rejects new connections.
  package func shutDown() {
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

/// A free port of 127.0.0.1 that no other test gets, below the ephemeral range (ip(7)).
package func freePort() throws -> UInt16 {
  for _ in 0..<100 {
    let port = UInt16.random(in: 20_000..<32_000)
    if portsGiven.withLock({ $0.insert(port).inserted }), (try? LocalListener(port: port)) != nil { return port }
  }
  throw TestFailure("no port between 20000 and 32000 is free")
}

/// Ports from ``freePort()``, which may not be in use yet.
private let portsGiven = Mutex<Set<UInt16>>([])
