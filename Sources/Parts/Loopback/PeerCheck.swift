import CMSAuthLinux
import Glibc
import MSAuthCore
import MSAuthUnix
import Synchronization

/// Checks which local user owns the other end of a connection: a second line of defense behind `state`.
package struct PeerCheck: Sendable {
  enum Owner: Sendable, Equatable {
    case user(UInt32)
    /// The kernel lists no such socket, or one that no process holds anymore.
    case missing
    /// The kernel doesn't list owners.
    case unknown
  }

  var ownUser = geteuid()
  var admitsMissing = false
  var hasIdentityMap = true
  var admitsAnyPeer = false
  /// What to log about how owners are found.
  var notice: LoopbackListener.Event?
  let owner: @Sendable (_ peer: LoopbackAddress, _ local: LoopbackAddress) -> Owner

  /// Queries the kernel for each peer, or reads its tables if that is not supported.
  package static func system(isWSL: Bool) -> PeerCheck { system(isWSL: isWSL, diagnosis: SocketDiagnosis()) }

  static func system(isWSL: Bool, diagnosis: SocketDiagnosis?) -> PeerCheck {
    let notice: LoopbackListener.Event? =
      diagnosis != nil ? nil : SocketTable.isReadable ? .readsSocketTable : .cannotIdentifyUsers
    return PeerCheck(
      admitsMissing: isWSL,
      hasIdentityMap: UserNamespace.isInitial,
      notice: notice,
      owner: { diagnosis?.owner(of: $0, connectedTo: $1) ?? SocketTable.owner(of: $0, connectedTo: $1) }
    )
  }

  /// Admits all users.
  package static let unchecked = PeerCheck { _, _ in .unknown }

  /// Admits other computers and containers too.
  static let anyPeer = PeerCheck(admitsAnyPeer: true) { _, _ in .unknown }

  /// Whether other users are always recognized; on WSL and in a user namespace some aren't.
  package var recognizesUsers: Bool { notice != .cannotIdentifyUsers && !admitsMissing && hasIdentityMap }

  /// Returns why a peer's connection is rejected, or `nil` if it is served; `peer` is `nil` unless it is on 127.0.0.1 or ::1.
  ///
  /// Root is admitted: it can read this process's memory anyway, and WSL's relay runs as root. So is a user without a
  /// number in this user namespace, since it may be the same user outside.
  func objection(to peer: LoopbackAddress?, connectedTo local: LoopbackAddress) -> LoopbackListener.Event? {
    guard let peer else { return admitsAnyPeer ? nil : .unknownPeer }
    return switch owner(peer, local) {
    case .unknown, .user(ownUser), .user(0): nil
    case .missing: admitsMissing ? nil : .unknownPeer
    case .user(UserNamespace.overflowUser) where !hasIdentityMap: nil
    case .user(let user): .foreignUser(user)
    }
  }
}

/// One end of a TCP connection on this machine.
struct LoopbackAddress: Sendable, Equatable {
  enum Family: Sendable { case ipv4, ipv6 }
  let family: Family
  let port: UInt16
  /// 127.0.0.1 unless a different address is looked up.
  var ipv4: UInt32 = 0x7F00_0001
}

/// Queries the kernel for the owner of one TCP socket (`sock_diag(7)`), at a cost that other users can't raise.
final class SocketDiagnosis: Sendable {
  private let descriptor: Int32
  /// The number of the last query; only one runs at a time.
  private let lastQuery = Mutex<UInt32>(0)

  /// Fails where the kernel doesn't respond: WSL 1, gVisor, some seccomp filters, a kernel without `tcp_diag`.
  init?() {
    descriptor = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), NETLINK_SOCK_DIAG)
    guard descriptor >= 0, knowsListeningSocket else { return nil }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether the kernel finds a socket that exists; without `tcp_diag` it finds none.
  private var knowsListeningSocket: Bool {
    guard let listening = ListeningSocket(.ipv4, port: 0) ?? ListeningSocket(.ipv6, port: 0) else { return false }
    defer { listening.close() }
    let nothing = LoopbackAddress(family: listening.address.family, port: 0)
    return owner(of: listening.address, connectedTo: nothing) == .user(geteuid())
  }

  /// The owner of the socket that is bound to `peer` and connected to `local`, or listens if `local`'s port is 0; `nil` if
  /// the kernel didn't respond.
  func owner(of peer: LoopbackAddress, connectedTo local: LoopbackAddress) -> PeerCheck.Owner? {
    lastQuery.withLock { query in
      query &+= 1
      var (user, inode) = (UInt32(0), UInt32(0))
      // A socket for both families that is connected to 127.0.0.1 is found as an IPv4 socket.
      switch linux_tcp_owner(descriptor, query, peer.family == .ipv4, peer.ipv4, peer.port, local.port, &user, &inode) {
      case 0: return inode == 0 ? .missing : .user(user)
      case ENOENT: return .missing
      default: return nil
      }
    }
  }
}

extension PeerCheck {
  /// The other local user who listens at a loopback address or `localhost`, if one is found.
  ///
  /// Root and system accounts run services, so they are ignored.
  package static func otherUserListening(at host: String, _ port: UInt16) -> UInt32? {
    guard let diagnosis = SocketDiagnosis() else { return nil }
    let addresses =
      switch host {
      case "localhost": [LoopbackAddress(family: .ipv4, port: port), LoopbackAddress(family: .ipv6, port: port)]
      case "[::1]": [LoopbackAddress(family: .ipv6, port: port)]
      default:
        WebURL.octets(of: host).map { octets in
          [LoopbackAddress(family: .ipv4, port: port, ipv4: octets.reduce(0) { $0 << 8 | UInt32($1) })]
        } ?? []
      }
    return addresses.firstNonNil { address in
      let owner = diagnosis.owner(of: address, connectedTo: LoopbackAddress(family: address.family, port: 0))
      guard case .user(let user) = owner, user != geteuid(), isPersonal(user) else { return nil }
      return user
    }
  }

  /// Whether a user isn't root, a system account (login.defs(5)), a dynamic user of systemd, or nobody.
  private static func isPersonal(_ user: UInt32) -> Bool {
    user >= 1000 && !(61_184...65_519).contains(user) && user != UserNamespace.overflowUser
  }
}
