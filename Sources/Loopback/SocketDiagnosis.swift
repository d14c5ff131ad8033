internal import CMSAuthLinux
internal import Glibc
internal import Synchronization

/// Queries the kernel for the owner of one TCP socket (`sock_diag(7)`), at a cost that other users can't raise.
final class SocketDiagnosis: Sendable {
  private let descriptor: Int32
  /// The number of the last query; only one runs at a time.
  private let sequence = Mutex<UInt32>(0)

  /// Fails where the kernel does not respond: WSL 1, gVisor, some seccomp filters, a kernel without `tcp_diag`.
  init?() {
    descriptor = linux_open_sock_diag()
    guard descriptor >= 0, knowsListeningSocket else { return nil }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether the kernel finds a socket that exists; without `tcp_diag` it finds none.
  private var knowsListeningSocket: Bool {
    guard let listening = ListeningSocket(.ipv4, port: 0) ?? ListeningSocket(.ipv6, port: 0) else { return false }
    defer { listening.close() }
    let nothing = LoopbackAddress(listening.address.family, port: 0)
    return owner(of: listening.address, connectedTo: nothing) == .user(geteuid())
  }

  /// The owner of the socket bound to `peer` and connected to `local`, or listening if that port is 0; nil if the kernel
  /// did not respond.
  func owner(of peer: LoopbackAddress, connectedTo local: LoopbackAddress) -> PeerOwner.Owner? {
    sequence.withLock { sequence in
      sequence &+= 1
      var (user, inode) = (UInt32(0), UInt32(0))
      // A socket for both families that is connected to 127.0.0.1 is found as an IPv4 socket.
      switch linux_tcp_owner(descriptor, sequence, peer.family == .ipv4, peer.port, local.port, &user, &inode) {
      case 0: return inode == 0 ? .missing : .user(user)
      case ENOENT: return .missing
      default: return nil
      }
    }
  }
}
