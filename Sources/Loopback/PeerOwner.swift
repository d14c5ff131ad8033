internal import Glibc
internal import Unix

/// Checks which user is at the other end of a loopback connection.
///
/// Every user of the machine can connect to a loopback address. This is a second line of defence behind `state`.
package struct PeerOwner: Sendable {
  /// What is known about the socket at the other end.
  package enum Owner: Sendable, Equatable {
    case user(UInt32)
    /// The kernel lists no such socket, or one that no process holds any more: nobody waits for the response.
    case missing
    /// The kernel does not say.
    case unknown
  }

  private let owner: @Sendable (_ peer: LoopbackAddress, _ local: LoopbackAddress) -> Owner
  /// What is to be logged about the way in which owners are found.
  let notice: LoopbackListener.Event?
  private let ownUser: UInt32
  private let admitsMissing: Bool
  private let hasIdentityMap: Bool

  init(
    ownUser: UInt32 = geteuid(),
    admitsMissing: Bool = false,
    hasIdentityMap: Bool = true,
    notice: LoopbackListener.Event? = nil,
    owner: @escaping @Sendable (_ peer: LoopbackAddress, _ local: LoopbackAddress) -> Owner
  ) {
    self.ownUser = ownUser
    self.admitsMissing = admitsMissing
    self.hasIdentityMap = hasIdentityMap
    self.notice = notice
    self.owner = owner
  }

  /// Asks the kernel about each peer, or reads its tables where it does not answer.
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

  /// Admits everyone.
  package static let unchecked = PeerOwner { _, _ in .unknown }

  /// Whether every connection of another user is recognized; users that WSL's browsers or a user namespace hide aren't.
  package var recognisesUsers: Bool { notice != .cannotTellUsers && !admitsMissing && hasIdentityMap }

  /// Whether a connection may be served.
  enum Decision: Equatable {
    case admitted
    case refused(LoopbackListener.Event)
  }

  /// Decides about a peer, nil when it is not 127.0.0.1 or ::1, that is connected to our end.
  func decision(on peer: LoopbackAddress?, connectedTo local: LoopbackAddress) -> Decision {
    guard let peer else { return .refused(.unknownPeer) }
    return decision(owner(peer, local))
  }

  /// Decides by the owner.
  ///
  /// Root is admitted: it can read our memory anyway, and it relays for us (WSL's relay is root's). So is a user without
  /// a number in our user namespace, for it may be ourselves outside.
  private func decision(_ owner: Owner) -> Decision {
    switch owner {
    case .unknown, .user(ownUser), .user(0): .admitted
    case .missing: admitsMissing ? .admitted : .refused(.unknownPeer)
    case .user(UserNamespace.overflowUser) where !hasIdentityMap: .admitted
    case .user(let user): .refused(.foreignUser(user))
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
