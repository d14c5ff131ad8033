/// Lists the accounts of the store as one client and authority see them.
struct AccountDirectory: Sendable {
  let context: Context
  /// The accounts of the provider, and the client.
  private(set) var query: CacheQuery

  init(context: Context, authority: Authority? = nil) {
    let authority = authority ?? context.configuration.authority
    var query = CacheQuery(authority)
    query.environments = CloudPolicy(context.configuration).environments(of: authority)
    self.init(context: context, query: query)
  }

  private init(context: Context, query: CacheQuery) {
    self.context = context
    self.query = query
    self.query.clientID = context.clientID
  }

  /// A directory for each provider that the store has accounts of, whatever authority is configured.
  static func all(context: Context, in document: TokenCacheDocument) -> [AccountDirectory] {
    document.accounts().filter { !$0.isResource }.reduce(into: []) { directories, entry in
      guard !directories.contains(where: { $0.query.isProvider(of: entry) }) else { return }
      directories.append(AccountDirectory(context: context, query: CacheQuery(providerOf: entry)))
    }
  }

  /// The accounts that are signed in to this client, in order of their names.
  func signedIn(in document: TokenCacheDocument) -> [Account] {
    // On a shared device the one account is that of all applications, also of one that has no token of it yet.
    let entries =
      context.isOnSharedDevice
      ? document.accounts(matching: query) : document.signedInAccounts(matching: query)
    let signedOut = document.signedOutAccounts(of: context.clientID, at: query.issuer)
    return merged(entries.filter { !signedOut.contains($0.homeAccountID) }, document)
  }

  /// The account with that home account ID, if it is signed in; no other is looked at.
  func signedIn(_ identifier: String, in document: TokenCacheDocument) -> Account? {
    var directory = self
    directory.query.account = identifier
    return directory.signedIn(in: document).first
  }

  /// The accounts with that username or home account ID, in any case of letters, that are signed in.
  func signedIn(named name: String, in document: TokenCacheDocument) -> [Account] {
    let entries = document.accounts(matching: query, named: name)
    return Set(entries.map { Array($0.homeAccountID.utf8) })
      .compactMap { signedIn(String(decoding: $0, as: UTF8.self), in: document) }
      // One may have that name in another tenant alone.
      .filter { $0.isNamed(name) }
      .sorted { ($0.username, $0.identifier) < ($1.username, $1.identifier) }
  }

  /// All accounts that the store knows at this authority.
  func all(in document: TokenCacheDocument) -> [Account] {
    merged(document.accounts(matching: query), document)
  }

  /// Whether the next sign-in must ask for credentials, since the person who is expected signed out here.
  func asksForCredentials(username: String?, in document: TokenCacheDocument) -> Bool {
    // Nobody is signed in on a shared device by what the person before has left in the browser.
    if context.isOnSharedDevice, signedIn(in: document).isEmpty { return true }
    let signedOut = document.signedOut(of: context.clientID, at: query.issuer)
    guard let username else { return !signedOut.isEmpty && signedIn(in: document).isEmpty }
    return signedOut.contains { $0.lowercased() == username.lowercased() }
  }

  /// One record an account, whatever number of tenants it has entries for.
  private func merged(_ entries: [AccountEntry], _ document: TokenCacheDocument) -> [Account] {
    var accounts: [Account] = []
    var places: [[UInt8]: Int] = [:]
    for entry in entries {
      let homeTenant = entry.homeAccountID.utf8.split(separator: UInt8(ascii: ".")).last
      let profile = TenantProfile(
        identifier: entry.localAccountID,
        tenantID: query.issuer == nil ? entry.realm : "",
        isHomeTenant: query.issuer == nil && homeTenant?.elementsEqual(entry.realm.utf8) == true,
        claims: claims(of: entry, in: document)
      )
      let place = places[Array(entry.homeAccountID.utf8), default: accounts.count]
      if place == accounts.count {
        places[Array(entry.homeAccountID.utf8)] = place
        accounts.append(
          Account(
            identifier: entry.homeAccountID,
            username: entry.username,
            environment: entry.environment,
            realm: query.issuer?.realm
          )
        )
      }
      accounts[place].tenantProfiles.append(profile)
      // As in MSAL, a guest's claims are the tenant profile's alone; other providers have no home tenants.
      if profile.isHomeTenant || query.issuer != nil { accounts[place].claims = profile.claims }
    }
    return accounts.sorted { ($0.username, $0.identifier) < ($1.username, $1.identifier) }
  }

  /// What the tenant's ID token says of the account; it was validated before it was stored.
  private func claims(of entry: AccountEntry, in document: TokenCacheDocument) -> JSONValue.Object {
    var query = query.with(account: entry.homeAccountID)
    query.realms = [entry.realm]
    let token = document.idToken(matching: query)
    return token.flatMap { try? IDToken.unverifiedClaims($0) }?.all ?? [:]
  }
}

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
