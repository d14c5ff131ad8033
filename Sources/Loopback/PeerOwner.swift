internal import FlyingSocks
internal import Glibc

/// Finds the user at the other end of a loopback connection.
///
/// Every user of the machine can connect to a loopback address. This is a second line of defence behind `state`: a peer
/// that is not found is admitted, because a browser may be in another network namespace or, with WSL, in another system.
package struct PeerOwner: Sendable {
  let user: @Sendable (_ peer: LoopbackAddress, _ local: LoopbackAddress) -> UInt32?
  private let ownUser: UInt32

  /// - Parameters:
  ///   - ownUser: The user of this process.
  ///   - user: The user of the socket bound to `peer` and connected to `local`; nil when unknown.
  package init(
    ownUser: UInt32 = geteuid(),
    user: @escaping @Sendable (_ peer: LoopbackAddress, _ local: LoopbackAddress) -> UInt32?
  ) {
    self.ownUser = ownUser
    self.user = user
  }

  /// Reads `/proc/net/tcp` and `/proc/net/tcp6`.
  package static let system = PeerOwner { peer, local in
    for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
      if let user = SocketTable.owner(of: peer, connectedTo: local, in: SocketTable.read(path)) { return user }
    }
    return nil
  }

  /// Admits everyone.
  package static let unknown = PeerOwner { _, _ in nil }

  /// The peer's user when it has to be refused.
  ///
  /// Root is admitted: it can read our memory anyway, and it relays for us (WSL's relay is root's). So is a user without
  /// a number in our user namespace, for it may be ourselves outside.
  func foreignUser(of peer: LoopbackAddress, connectedTo local: LoopbackAddress) -> UInt32? {
    guard ownUser != 0, let user = user(peer, local) else { return nil }
    return user == ownUser || user == 0 || user == Self.overflowUser ? nil : user
  }

  /// What Linux calls a user that has no number in a namespace: the default of `/proc/sys/kernel/overflowuid`.
  private static let overflowUser: UInt32 = 65534
}

/// One end of a TCP connection on this machine.
package struct LoopbackAddress: Sendable, Equatable {
  package enum Family: Sendable { case ipv4, ipv6 }
  package var family: Family
  package var port: UInt16

  package init(_ family: Family, port: UInt16) {
    self.family = family
    self.port = port
  }

  init?(_ address: Socket.Address?) {
    switch address {
    case .ip4(_, let port): self.init(.ipv4, port: port)
    case .ip6(_, let port): self.init(.ipv6, port: port)
    case .unix, nil: return nil
    }
  }
}
