/// The clouds of Microsoft Entra that an application's accounts may live in: by default the configured authority's.
struct CloudPolicy: Sendable {
  private let isOpen: Bool
  private let known: [Authority]

  init(_ configuration: ClientConfiguration) {
    isOpen = configuration.multipleCloudsSupported
    known = configuration.knownAuthorities
  }

  /// The authority that gives the tokens of a sign-in.
  func authority(_ asked: Authority, sentOnTo host: String?) throws -> Authority {
    guard isOpen, let host, !asked.environmentAliases.contains(host.lowercased()) else { return asked }
    guard let authority = asked.inCloud(host, known: known) else {
      throw AuthenticationError(
        .invalidResponse,
        "the sign-in was sent on to \(host.printable(limit: 100)), which is no cloud that is known here",
        reason: "cloud_unknown",
        hint:
          """
          if it belongs to your organization, add an authority of that host to \
          \(setting: "authorities", or: "the known authorities")
          """
      )
    }
    return authority
  }

  /// The authority that an account's tokens come from.
  func authority(_ asked: Authority, of account: Account) -> Authority {
    guard isOpen, !asked.environmentAliases.contains(account.environment) else { return asked }
    return asked.inCloud(account.environment, known: known) ?? asked
  }

  /// The hosts under which the accounts of an authority may be stored.
  func environments(of authority: Authority) -> [String] {
    guard isOpen, authority.kind == .aad else { return authority.environmentAliases }
    let aliases = authority.environmentAliases
    return aliases + Authority.allClouds(known: known).filter { !aliases.contains($0) }
  }
}
