/// Lists the accounts of one client that one authority can issue tokens for.
struct AccountList: Sendable {
  let context: Context
  /// The configured authority in lists from ``ofEveryProvider(context:in:)``, whatever their provider.
  let authority: Authority
  private(set) var query: CacheQuery
  private var audience: TenantAudience = .all
  /// Whether the broker's accounts that didn't sign in here are left out.
  var excludesBroker = false

  /// `mayFetch`: whether a tenant's domain may be looked up; a cached token needs no network.
  init(context: Context, authority: Authority? = nil, mayFetch: Bool = false) async {
    self.context = context
    let authority = authority ?? context.configuration.authority
    self.authority = authority
    query = CacheQuery(authority, clientID: context.clientID)
    query.environments = context.configuration.environments(of: authority)
    // A shared device has one account for all applications.
    if !context.isOnSharedDevice { audience = await TenantAudience(authority, context, mayFetch: mayFetch) }
  }

  private init(context: Context, query: CacheQuery) {
    (self.context, self.query, authority) = (context, query, context.configuration.authority)
  }

  /// A list for each provider with accounts in the store, regardless of the configured authority.
  static func ofEveryProvider(context: Context, in document: TokenCacheDocument) -> [AccountList] {
    document.accounts().filter { !$0.isResource }.reduce(into: []) { lists, entry in
      let isListed = lists.contains {
        $0.query.environments.contains(entry.environment.lowercased()) && $0.query.issuer == entry.issuer
      }
      guard !isListed else { return }
      let environments = Authority.environmentAliases(of: entry.environment)
      let query = CacheQuery(environments: environments, issuer: entry.issuer, clientID: context.clientID)
      lists.append(AccountList(context: context, query: query))
    }
  }

  /// The accounts that are signed in to this client, sorted by username.
  func signedIn(in document: TokenCacheDocument) -> [Account] {
    let includesBroker = context.configuration.brokerUse != .never && context.admitsBrokerAccounts && !excludesBroker
    // On a shared device, all applications share the one account, even without a token yet.
    let entries =
      context.isOnSharedDevice
      ? document.accounts(matching: query)
      : document.signedInAccounts(matching: query, includesBroker: includesBroker)
    let signedIn = entries.filter {
      let key = AccountKey(issuer: query.issuer, clientID: context.clientID, homeAccountID: $0.homeAccountID)
      return !document.isSignedOut(key)
    }
    return merged(signedIn, document).filter(audience.admits)
  }

  /// Whether the authority can issue tokens of an account, which may be signed out.
  func serves(_ identifier: String, in document: TokenCacheDocument) -> Bool {
    audience.admits(identifier, realms: document.accounts(matching: query.with(account: identifier)).map(\.realm))
  }

  /// The account with that home account ID, if it is signed in; reads no other.
  func signedIn(_ identifier: String, in document: TokenCacheDocument) -> Account? {
    var list = self
    list.query.account = identifier
    return list.signedIn(in: document).first
  }

  /// The signed-in accounts with that username or home account ID, ignoring case.
  func signedIn(named name: String, in document: TokenCacheDocument) -> [Account] {
    let entries = document.accounts(matching: query, named: name)
    return Set(entries.map { AccountID($0.homeAccountID) }).compactMap { signedIn($0.string, in: document) }
      // An account may have that name in another tenant only.
      .filter { $0.isNamed(name) }
      .sortedByUsername()
  }

  func all(in document: TokenCacheDocument) -> [Account] {
    merged(document.accounts(matching: query), document).filter(audience.admits)
  }

  /// The account with that username or home account ID; without a name, the current one, or the only one.
  func account(named name: String?, in document: TokenCacheDocument) throws(AuthenticationError) -> Account {
    if let account = authority.resourceAccount { return account }
    if let name {
      if let account = try signedIn(named: name, in: document).account(named: name) { return account }
      throw audience.lookupError ?? AuthenticationError(notSignedIn: name, known: signedIn(in: document))
    }
    if let current = current(in: document) { return current }
    let accounts = signedIn(in: document)
    guard accounts.count < 2 else { throw AuthenticationError(ambiguous: accounts) }
    if let account = accounts.first { return account }
    throw audience.lookupError ?? AuthenticationError.noAccount
  }

  /// The account in the store, or one that only the device's broker has; the broker's accounts are then added to `document`.
  func account(
    named name: String?,
    orIn other: AccountList? = nil,
    orBrokersIn document: inout TokenCacheDocument
  ) async throws(AuthenticationError) -> Account {
    do throws(AuthenticationError) {
      return try account(named: name, orIn: other, document)
    } catch {
      guard error.code == .accountRequired else { throw error }
      try await context.addBrokerAccounts(to: &document)
      return try account(named: name, orIn: other, document)
    }
  }

  private func account(
    named name: String?,
    orIn other: AccountList?,
    _ document: TokenCacheDocument
  ) throws(AuthenticationError) -> Account {
    do throws(AuthenticationError) {
      return try account(named: name, in: document)
    } catch {
      guard let other, error.code == .accountRequired else { throw error }
      return try other.account(named: name, in: document)
    }
  }

  /// Whether the next sign-in must prompt for credentials, since the expected user signed out here.
  func requiresCredentials(username: String?, in document: TokenCacheDocument) -> Bool {
    // On a shared device the browser may still have the previous user's session.
    if context.isOnSharedDevice, signedIn(in: document).isEmpty { return true }
    let signedOut = document.signedOut(of: context.clientID, at: query.issuer)
    guard let username else { return !signedOut.isEmpty && signedIn(in: document).isEmpty }
    return signedOut.contains { $0.isEqual(ignoringCase: username) }
  }

  /// One record per account, which may have an entry for each tenant.
  private func merged(_ entries: [AccountEntry], _ document: TokenCacheDocument) -> [Account] {
    let idTokens = document.idTokens(matching: query)
    var accounts: [AccountID: Account] = [:]
    for entry in entries {
      let key = AccountID(entry.homeAccountID)
      let idToken = idTokens[key]?[entry.realm.lowercased()]
      // The ID token was validated before it was stored.
      let claims = idToken.flatMap { try? IDToken.unverifiedClaims($0) }?.all ?? [:]
      let isHome = query.issuer == nil && Account.homeTenant(in: entry.homeAccountID) == entry.realm.lowercased()
      let tenant = query.issuer == nil ? entry.realm : ""
      let new = Account(
        identifier: entry.homeAccountID,
        username: entry.username,
        environment: entry.environment,
        realm: query.issuer?.realm
      )
      var account = accounts[key] ?? new
      account.tenantProfiles.append(
        TenantProfile(identifier: entry.localAccountID, tenantID: tenant, isHomeTenant: isHome, claims: claims)
      )
      if entry.isFromBroker, context.configuration.brokerUse != .never { account.isFromBroker = true }
      // As in MSAL, a guest's claims are only in the tenant profile; other providers have no home tenants.
      if isHome || query.issuer != nil { account.claims = claims }
      accounts[key] = account
    }
    return accounts.values.sortedByUsername()
  }
}

extension Sequence<Account> {
  fileprivate func sortedByUsername() -> [Account] {
    sorted { ($0.username, $0.identifier) < ($1.username, $1.identifier) }
  }
}
