extension CacheQuery {
  package init(_ authority: Authority, account: String? = nil, clientID: String? = nil) {
    let environments = authority.environmentAliases
    self.init(account: account, environments: environments, issuer: authority.issuer, clientID: clientID)
  }

  /// An account at its provider, regardless of the configured authority.
  init(_ account: Account, clientID: String? = nil) {
    let environments = Authority.environmentAliases(of: account.environment)
    let issuer = account.realm.map { Issuer(environment: account.environment, realm: $0) }
    self.init(account: account.identifier, environments: environments, issuer: issuer, clientID: clientID)
  }

  /// Whether an account may be at this provider; an application may have created it without a realm.
  func isProvider(of account: Account) -> Bool {
    environments.contains(account.environment.lowercased())
      && (account.realm.map { issuer?.realm.isIdentical(to: $0) == true } ?? true)
  }

  /// Also accepts Microsoft's other hosts, since an account's ID is unique on all of them.
  func isProviderInAnyCloud(of account: Account) -> Bool {
    isProvider(of: account) || issuer == nil && account.realm == nil
  }
}

extension Authority {
  func isProvider(of account: Account) -> Bool { CacheQuery(self).isProvider(of: account) }
}
