import MSAuthCore
internal import MSAuthUnix

extension PeerOwner {
  /// The other local user that receives connections to a loopback address or `localhost`, if one is known to.
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
      guard case .user(let user) = owner, user != unchecked.ownUser, isPersonal(user) else { return nil }
      return user
    }
  }

  /// Whether a user isn't root, a system account (login.defs(5)), a service's (systemd's `DynamicUser=`), or nobody.
  private static func isPersonal(_ user: UInt32) -> Bool {
    user >= 1000 && !(61_184...65_519).contains(user) && user != UserNamespace.overflowUser
  }
}
