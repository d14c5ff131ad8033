internal import MSAuthUnix

extension PeerOwner {
  /// The other local user that receives connections to a port of this computer, if one is known to.
  ///
  /// Root and system accounts run services, so they are ignored. With `isIPv6` nil, as for `localhost`, both are checked.
  package static func otherUserListening(on port: UInt16, isIPv6: Bool?) -> UInt32? {
    guard let diagnosis = SocketDiagnosis() else { return nil }
    let families: [LoopbackAddress.Family] = isIPv6.map { [$0 ? .ipv6 : .ipv4] } ?? [.ipv4, .ipv6]
    return families.lazy.compactMap { family in
      let nothing = LoopbackAddress(family: family, port: 0)
      let owner = diagnosis.owner(of: LoopbackAddress(family: family, port: port), connectedTo: nothing)
      guard case .user(let user) = owner, user != unchecked.ownUser, isPersonal(user) else { return nil }
      return user
    }.first
  }

  /// Whether a user isn't root, a system account (login.defs(5)), a service's (systemd's `DynamicUser=`), or nobody.
  private static func isPersonal(_ user: UInt32) -> Bool {
    user >= 1000 && !(61_184...65_519).contains(user) && user != UserNamespace.overflowUser
  }
}
