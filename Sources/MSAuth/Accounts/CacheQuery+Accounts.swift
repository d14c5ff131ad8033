import OAuth
import Core
import TokenCache

extension AuthenticationError {
  /// An account is to be used at a provider that it is not of.
  init(_ account: Account, isNotAt authority: Authority, _ consequence: String) {
    let place = [account.environment, account.realm].compactMap(\.self).joined(separator: "/").printable()
    self.init(
      .invalidParameter,
      "the account is one at \(place), not at \(authority.url.printable()), so \(consequence)",
      reason: "account_elsewhere",
      hint: "name the authority where it signed in with \(setting: "authority", "URL", or: "the authority setting")"
    )
  }
}

extension CacheQuery {
  /// The accounts of an authority.
  init(_ authority: Authority) {
    self.init(environments: authority.environmentAliases, issuer: authority.issuer)
  }

  /// An account at its own provider, whatever authority is configured.
  init(_ account: Account) {
    self.init(
      account: account.identifier,
      environments: Authority.environmentAliases(of: account.environment),
      issuer: account.realm.map { Issuer(environment: account.environment, realm: $0) }
    )
  }

  /// All accounts of a cache entry's provider.
  init(providerOf entry: AccountEntry) {
    self.init(environments: Authority.environmentAliases(of: entry.environment), issuer: entry.issuer)
  }

  /// Whether an account may be one of this provider; one that was made by hand may lack its realm.
  func isProvider(of account: Account) -> Bool {
    environments.contains(account.environment.lowercased()) && (account.realm == nil || account.realm == issuer?.realm)
  }

  /// Whether a cache entry's account is one of this provider.
  func isProvider(of entry: AccountEntry) -> Bool {
    environments.contains(entry.environment.lowercased()) && entry.issuer == issuer
  }
}
