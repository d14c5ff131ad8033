import OAuth
import Core
import TokenCache

extension AuthenticationError {
  /// An account is to be used at a provider that it is not of.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - authority: The provider.
  ///   - consequence: What was not done, as the end of a sentence.
  init(_ account: Account, isNotAt authority: Authority, _ consequence: String) {
    let place = [account.environment, account.realm].compactMap(\.self).joined(separator: "/").printable()
    self.init(
      .invalidParameter,
      "the account is one at \(place), not at \(authority.url.printable()), so \(consequence)",
      reason: .accountElsewhere,
      remedy: .nameAuthority
    )
  }
}

/// Where the entries of one provider's accounts stand in the cache.
struct CacheScope: Sendable {
  /// The names of its host.
  let environments: [String]
  /// Which of the issuers there; nil for Microsoft.
  let issuer: Issuer?

  /// The place of an authority's accounts.
  init(_ authority: Authority, environments: [String]? = nil) {
    self.environments = environments ?? authority.environmentAliases
    self.issuer = authority.issuer
  }

  /// An account's own place, whatever authority is configured.
  init(_ account: Account) {
    environments = Authority.environmentAliases(of: account.environment)
    issuer = account.realm.map { Issuer(environment: account.environment, realm: $0) }
  }

  /// The place of a cache entry.
  init(_ entry: AccountEntry) {
    environments = Authority.environmentAliases(of: entry.environment)
    issuer = entry.issuer
  }

  /// Whether an account may be one of this place; one that was made by hand may not tell its realm.
  func holds(_ account: Account) -> Bool {
    environments.contains(account.environment.lowercased()) && (account.realm == nil || account.realm == issuer?.realm)
  }

  /// Whether a cache entry's account is one of this place.
  func holds(_ entry: AccountEntry) -> Bool {
    environments.contains(entry.environment.lowercased()) && entry.issuer == issuer
  }
}
