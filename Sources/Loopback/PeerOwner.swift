internal import Glibc

/// Tells to which user the other end of a loopback connection belongs.
///
/// Every user of the machine can connect to a loopback address. This is a second line behind `state`, and no more: who
/// is not found is let in, because a browser may be in another network namespace or, with WSL, in another system.
package struct PeerOwner: Sendable {
  let owner: @Sendable (_ peer: LoopbackAddress, _ local: LoopbackAddress) -> UInt32?
  private let ourselves: UInt32

  /// Makes a look-up.
  ///
  /// - Parameters:
  ///   - ourselves: The user of this process.
  ///   - user: The user of the socket bound to `peer` and connected to `local`; nil when unknown.
  package init(
    ourselves: UInt32 = geteuid(),
    user: @escaping @Sendable (_ peer: LoopbackAddress, _ local: LoopbackAddress) -> UInt32?
  ) {
    self.ourselves = ourselves
    self.owner = user
  }

  /// Looks in `/proc/net/tcp` and `/proc/net/tcp6`.
  package static let processTable = PeerOwner { peer, local in
    for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
      if let user = SocketTable.owner(of: peer, connectedTo: local, in: SocketTable.read(path)) { return user }
    }
    return nil
  }

  /// Asks nobody: everyone is let in.
  package static let unknown = PeerOwner { _, _ in nil }

  /// The peer's user when it is to be turned away.
  ///
  /// Root is let in: it may read our memory anyway, and it relays for us (WSL's relay is root's). So is a user that the
  /// kernel cannot name in our user namespace, for it may be ourselves outside.
  func stranger(at peer: LoopbackAddress, connectedTo local: LoopbackAddress) -> UInt32? {
    guard ourselves != 0, let user = owner(peer, local) else { return nil }
    return user == ourselves || user == 0 || user == Self.unnamed ? nil : user
  }

  /// What Linux calls a user that has no number in a namespace (`/proc/sys/kernel/overflowuid`, as good as never set).
  private static let unnamed: UInt32 = 65534
}
