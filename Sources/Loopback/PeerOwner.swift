internal import Glibc
internal import MSAuthUnix

/// Checks which local user owns the other end of a connection: a second line of defense behind `state`.
package struct PeerOwner: Sendable {
  package enum Owner: Sendable, Equatable {
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
  /// What to log about the way owners are found.
  var notice: LoopbackListener.Event?
  let owner: @Sendable (_ peer: LoopbackAddress, _ local: LoopbackAddress) -> Owner

  /// Queries the kernel for each peer, or reads its tables if that is not supported.
  package static func system(isWSL: Bool) -> PeerOwner { system(isWSL: isWSL, diagnosis: SocketDiagnosis()) }

  static func system(isWSL: Bool, diagnosis: SocketDiagnosis?) -> PeerOwner {
    let notice: LoopbackListener.Event? =
      diagnosis != nil ? nil : SocketTable.isReadable ? .readsSocketTable : .cannotTellUsers
    return PeerOwner(
      admitsMissing: isWSL,
      hasIdentityMap: UserNamespace.isInitial,
      notice: notice,
      owner: { diagnosis?.owner(of: $0, connectedTo: $1) ?? SocketTable.owner(of: $0, connectedTo: $1) }
    )
  }

  /// Admits all users.
  package static let unchecked = PeerOwner { _, _ in .unknown }

  /// Admits other computers and containers too.
  static let anyPeer = PeerOwner(admitsAnyPeer: true) { _, _ in .unknown }

  /// Whether other users are always recognized; on WSL and in a user namespace some aren't.
  package var recognizesUsers: Bool { notice != .cannotTellUsers && !admitsMissing && hasIdentityMap }

  /// Why a connection of a peer, nil if it is not 127.0.0.1 or ::1, is not served; nil if it is.
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
package struct LoopbackAddress: Sendable, Equatable {
  package enum Family: Sendable { case ipv4, ipv6 }
  package var family: Family
  package var port: UInt16

  package init(_ family: Family, port: UInt16) {
    self.family = family
    self.port = port
  }
}
