package import MSAuthCore

extension TokenCacheDocument {
  /// Seconds by which a machine that shares the cache over the network may be ahead.
  static let clockSkew: UnixTime = 60

  /// The accounts of a provider, one entry per tenant, whichever client they are signed in to.
  package func accounts(matching query: CacheQuery, named name: String? = nil) -> [AccountEntry] {
    let environments = query.environments.map { $0.lowercased() }
    let name = name?.lowercased()
    return ordered(.account, of: query.account).compactMap { AccountEntry($0) }.filter { account in
      environments.contains(account.environment.lowercased()) && account.matches(query.issuer)
        && (name == nil || [account.username, account.homeAccountID].contains { $0.lowercased() == name })
    }
  }

  /// The accounts of all providers, one entry per tenant.
  package func accounts() -> [AccountEntry] { ordered(.account).compactMap { AccountEntry($0) } }

  /// The accounts with a refresh token that serves the client, or with any token (some providers issue no refresh tokens);
  /// `includesBroker` adds the device's broker's accounts, which every client can use.
  package func signedInAccounts(matching query: CacheQuery, includesBroker: Bool = false) -> [AccountEntry] {
    let family = familyID(matching: query)
    let refreshTokens = ordered(.refreshToken, of: query.account).filter { serves($0, query, family: family) }
    let accessTokens = ordered(.accessToken, of: query.account).filter { $0.matches(query) }
    let owners = (refreshTokens + accessTokens).owners
    // The broker keeps the refresh tokens of its accounts.
    let idTokens = idTokens(matching: query)
    return accounts(matching: query).filter {
      let id = AccountID($0.homeAccountID)
      return owners.contains(id) || $0.isFromBroker && (includesBroker || idTokens[id] != nil)
    }
  }

  /// The matching access token that was cached last, which may not expire last.
  ///
  /// A token cached in the future was cached while the clock was wrong, and may have expired long ago.
  package func accessToken(
    matching query: CacheQuery,
    scopes: [String],
    validity: RequiredValidity,
    now: UnixTime,
    isBound: Bool = false
  ) -> AccessTokenEntry? {
    let requested = query.comparable(scopes)
    return ordered(.accessToken, of: query.account).compactMap { entry -> AccessTokenEntry? in
      guard entry.matches(query), entry.isInRealm(of: query), let realm = entry.string("realm"),
        let clientID = query.clientID ?? entry.string("client_id"),
        requested.isSubset(of: query.comparable(entry.scopes)),
        let expiresOn = entry.time("expires_on"), let secret = entry.nonEmpty("secret"),
        validity.isMet(expiresOn: expiresOn, cachedAt: entry.time("cached_at") ?? 0, now: now),
        isBound ? holdsKey(of: entry, for: clientID) : entry.isPlainBearer,
        entry.time("cached_at") ?? 0 <= now + Self.clockSkew
      else { return nil }
      return AccessTokenEntry(
        secret: Secret(secret),
        realm: realm,
        scopes: entry.scopes,
        cachedAt: entry.time("cached_at") ?? 0,
        expiresOn: expiresOn,
        extendedExpiresOn: entry.time("extended_expires_on"),
        refreshOn: entry.time("refresh_on"),
        keyID: entry.boundKeyID
      )
    }.max { ($0.cachedAt, $0.expiresOn) < ($1.cachedAt, $1.expiresOn) }
  }

  /// The refresh tokens that may serve a client: its own and its family's, newest first.
  package func refreshTokens(matching query: CacheQuery) -> [RefreshTokenEntry] {
    let family = familyID(matching: query)
    return refreshTokensByKey(query).compactMap { entry -> RefreshTokenEntry? in
      guard serves(entry, query, family: family), let secret = entry.string("secret") else { return nil }
      return RefreshTokenEntry(
        secret: Secret(secret),
        scopes: entry.scopes,
        familyID: entry.nonEmpty("family_id"),
        lastModified: entry.time("last_modification_time") ?? 0,
        keyID: entry.nonEmpty("key_id")
      )
    }
    // Within one second, the later entry comes first.
    .enumerated().sorted { ($0.element.lastModified, $0.offset) > ($1.element.lastModified, $1.offset) }.map(\.element)
  }

  /// Whether an entry is a refresh token that may serve the query's client.
  private func serves(_ entry: JSONValue, _ query: CacheQuery, family: String?) -> Bool {
    // Microsoft's serve all tenants, so other libraries give them no realm; a token with a realm must not be sent
    // there.
    entry.matches(query.forEveryClient) && (query.issuer != nil || entry.nonEmpty("realm") == nil)
      && (entry.isOfClient(of: query) || (family != nil && entry.string("family_id") == family))
      && entry.nonEmpty("secret") != nil
  }

  /// When a matching token was last written; 0 without one.
  package func lastUse(matching query: CacheQuery) -> UnixTime {
    let refreshed = refreshTokens(matching: query).map(\.lastModified)
    let cached = ordered(.accessToken, of: query.account).filter { $0.matches(query) }.map { $0.time("cached_at") ?? 0 }
    return (refreshed + cached).max() ?? 0
  }

  /// The refresh token entries; within one second, in the order written.
  ///
  /// Storing msauth's entry removes all others, so any other entry is newer. msauth's key sorts first, unless it
  /// contains an issuer's path, which no other library writes.
  private func refreshTokensByKey(_ query: CacheQuery) -> [JSONValue] {
    let sorted = sorted(.refreshToken, of: query.account)
    guard let issuer = query.issuer else { return sorted.map(\.value) }
    let isOurs = { (key: String) in key.hasSuffix("-\(issuer.realm)-") }
    return (sorted.filter { isOurs($0.key) } + sorted.filter { !isOurs($0.key) }).map(\.value)
  }

  /// The ID token of the query's account in the first of its realms that has one.
  package func idToken(matching query: CacheQuery) -> Secret? {
    let tokens = query.account.flatMap { idTokens(matching: query)[AccountID($0)] } ?? [:]
    return query.realms?.firstNonNil { tokens[$0.lowercased()] }
  }

  /// The ID tokens of every matching account, by realm in lowercase; reads the map once, however many accounts there are.
  package func idTokens(matching query: CacheQuery) -> [AccountID: [String: Secret]] {
    ordered(.idToken, of: query.account).reduce(into: [:]) { tokens, entry in
      guard entry.matches(query), let account = entry.string("home_account_id"), let secret = entry.nonEmpty("secret"),
        let realm = entry.string("realm")?.lowercased()
      else { return }
      tokens[AccountID(account), default: [:]].merge([realm: Secret(secret)]) { first, _ in first }
    }
  }

  /// The clients with tokens, in the order of their IDs.
  package var clientIDs: [String] {
    let entries = Kind.tokens.flatMap { ordered($0) } + ordered(.appMetadata)
    return Set(entries.compactMap { $0.nonEmpty("client_id") }).sorted()
  }

  /// For each account's queries, whether entries that match have been removed or changed since.
  package func differs(from before: TokenCacheDocument, in accounts: [[CacheQuery]]) -> [Bool] {
    let changed = (Kind.tokens + [.account]).flatMap { kind in
      let kept = Set(entries(kind).values)
      return before.entries(kind).values.filter { !kept.contains($0) }
    }
    let byAccount = Dictionary(grouping: changed) { $0.string("home_account_id") }
    return accounts.map { queries in
      queries.contains { query in byAccount[query.account]?.contains { $0.matches(query) } == true }
    }
  }

  private func familyID(matching query: CacheQuery) -> String? {
    ordered(.appMetadata).first { entry in
      entry.isIn(query.environments) && query.clientID.map { entry.matches(client: $0) } ?? false
    }?.nonEmpty("family_id")
  }
}

extension AccountEntry {
  /// `nil` if the entry has no account or no host.
  fileprivate init?(_ entry: JSONValue) {
    guard let account = entry.nonEmpty("home_account_id"), let environment = entry.string("environment") else {
      return nil
    }
    self.init(
      homeAccountID: account,
      environment: environment,
      // .NET omits it; AD FS has only one path.
      realm: entry.string("realm") ?? (entry.has("authority_type", "ADFS") ? "adfs" : ""),
      localAccountID: entry.string("local_account_id") ?? "",
      username: entry.nonEmpty("username") ?? account,
      authorityType: entry.string("authority_type") ?? "",
      name: entry.string("name"),
      isFromBroker: entry.has("account_source", Self.brokerSource)
    )
  }
}

extension [JSONValue] {
  /// The accounts of entries.
  var owners: Set<AccountID> { Set(compactMap { $0.string("home_account_id").map { AccountID($0) } }) }
}
