internal import CLinux
internal import Glibc
internal import Synchronization

/// Asks the kernel who owns one TCP socket (`sock_diag(7)`).
///
/// The cost does not depend on the number of sockets on the machine, which another user can raise.
final class SocketDiagnosis: Sendable {
  private let descriptor: Int32
  /// The number of the last question; only one is asked at a time.
  private let sequence = Mutex<UInt32>(0)

  /// Fails where the kernel does not answer: WSL 1, gVisor, some seccomp filters, a kernel without `tcp_diag`.
  init?() {
    descriptor = linux_open_sock_diag()
    guard descriptor >= 0, knowsListeningSocket else { return nil }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Returns the owner of the socket bound to `peer` and connected to `local`.
  ///
  /// - Returns: The owner; nil when the kernel did not answer.
  func owner(of peer: LoopbackAddress, connectedTo local: LoopbackAddress) -> PeerOwner.Owner? {
    // A socket for both families that is connected to 127.0.0.1 is found as one of IPv4.
    owner(peer.family, local: peer.end, remote: local.end)
  }

  /// Whether the kernel finds a socket that is certainly there: without `tcp_diag` it finds none.
  private var knowsListeningSocket: Bool {
    let candidates = [
      (LoopbackAddress.Family.ipv4, try? SocketBinder.ipv4(port: 0)), (.ipv6, try? SocketBinder.ipv6(port: 0)),
    ]
    defer { for case (_, let listening?) in candidates { listening.close() } }
    for case (let family, let listening?) in candidates {
      return owner(family, local: LoopbackAddress(family, port: listening.port).end, remote: linux_tcp_end())
        == .user(geteuid())
    }
    return false
  }

  private func owner(
    _ family: LoopbackAddress.Family,
    local: linux_tcp_end,
    remote: linux_tcp_end
  ) -> PeerOwner.Owner? {
    sequence.withLock { sequence in
      sequence &+= 1
      var (user, inode) = (UInt32(0), UInt32(0))
      let number = UInt8(family == .ipv4 ? AF_INET : AF_INET6)
      switch linux_tcp_owner(descriptor, sequence, number, local, remote, &user, &inode) {
      case 0: return inode == 0 ? .missing : .user(user)
      case ENOENT: return .missing
      default: return nil
      }
    }
  }
}

extension LoopbackAddress {
  /// - Parameters:
  ///   - family: The address's family.
  ///   - end: Any address; the result is nil unless it is 127.0.0.1 or ::1.
  init?(_ family: Family, _ end: linux_tcp_end) {
    self.init(family, port: end.port)
    let isLoopback = withUnsafeBytes(of: end.address) { found in
      withUnsafeBytes(of: self.end.address) { found.elementsEqual($0) }
    }
    guard isLoopback else { return nil }
  }

  fileprivate var end: linux_tcp_end {
    var end = linux_tcp_end()
    end.port = port
    withUnsafeMutableBytes(of: &end.address) { bytes in
      switch family {
      case .ipv4: bytes.copyBytes(from: [127, 0, 0, 1])
      case .ipv6: bytes[15] = 1
      }
    }
    return end
  }
}

// In the one file that imports CLinux: its headers give socket addresses types that FlyingSocks does not extend.
extension ListeningSocket {
  /// Accepts a connection, without waiting for one; no child process inherits its socket.
  ///
  /// - Returns: The socket's descriptor, which does not block, and its peer, nil when that is not 127.0.0.1 or ::1.
  /// - Throws: ``SocketFailure`` with the system's error number, `EAGAIN` when there is none.
  func accept() throws(SocketFailure) -> (Int32, LoopbackAddress?) {
    var peer = linux_tcp_end()
    let connection = linux_accept(descriptor, &peer)
    guard connection >= 0 else { throw SocketFailure(number: errno) }
    return (connection, LoopbackAddress(address.family, peer))
  }
}
