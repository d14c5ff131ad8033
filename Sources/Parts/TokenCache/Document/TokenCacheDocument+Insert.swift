package import MSAuthCore

extension TokenCacheDocument {
  /// Stores a token response under keys that every reader of the schema finds: MSAL Python's, or .NET's for refresh tokens.
  package mutating func store(_ grant: TokenGrant, environmentAliases aliases: [String], createsAccount: Bool) {
    let owner = CacheQuery(
      account: grant.account.homeAccountID,
      environments: [grant.account.environment] + aliases,
      issuer: grant.account.issuer,
      clientID: grant.clientID
    )
    storeAccessToken(grant, replacing: owner)
    storeRefreshToken(grant, replacing: owner)
    storeIDToken(grant, replacing: owner)
    if createsAccount { storeAccount(grant.account, clientInfo: grant.clientInfo) }
    storeAppMetadata(grant)
  }

  private mutating func storeAccessToken(_ grant: TokenGrant, replacing owner: CacheQuery) {
    guard grant.keepsAccessToken else { return }
    let token = grant.accessToken
    let scopes = Self.nonReserved(owner.comparable(token.scopes))
    let target = Self.target(token.scopes)
    let key = grant.key(ofAccessTokenFor: target)
    // Of two tokens for one scope, readers can't tell which is newer.
    remove(.accessToken, except: key) { entry in
      entry.matches(owner) && entry.isIn(realm: token.realm)
        && (token.keyID == nil ? entry.isPlainBearer : entry.boundKeyID != nil)
        && !scopes.isDisjoint(with: Self.nonReserved(owner.comparable(entry.scopes)))
    }
    var fields = grant.fields(of: "AccessToken", secret: token.secret)
    fields["realm"] = .string(token.realm)
    fields["target"] = .string(target)
    fields["token_type"] = .string(token.tokenType)
    fields["cached_at"] = .time(token.cachedAt)
    fields["expires_on"] = .time(token.expiresOn)
    fields["extended_expires_on"] = .time(token.extendedExpiresOn ?? token.expiresOn)
    fields["refresh_on"] = token.refreshOn.map { .time($0) }
    // MSAL Python and Node look for `key_id`; Python and Go separate special tokens by `ext_cache_key`, and by `atext` in
    // the entry's key.
    for name in ["key_id", "ext_cache_key"] { fields[name] = token.keyID.map { .string($0) } }
    put(fields, as: key, in: .accessToken)
  }

  /// Scopes in ASCII order, as MSAL Python writes them.
  private static func target(_ scopes: [String]) -> String { Set(scopes).sorted().joined(separator: " ") }

  /// The scopes that distinguish two resources' tokens; sign-in scopes do only if there are no others.
  private static func nonReserved(_ all: Set<String>) -> Set<String> {
    let others = all.subtracting(["openid", "profile", "email", "address", "phone", "offline_access"])
    return others.isEmpty ? all : others
  }

  private mutating func storeRefreshToken(_ grant: TokenGrant, replacing owner: CacheQuery) {
    // RFC 6749 §6: a response without a new refresh token leaves the old one in force.
    guard let token = grant.refreshToken else { return }
    var fields = grant.fields(of: "RefreshToken", secret: token.secret)
    // One second earlier: of two tokens with the same time, MSAL Python would send this one instead of its successor.
    fields["last_modification_time"] = .time(token.lastModified - 1)
    fields["family_id"] = token.familyID.map { .string($0) }
    fields["key_id"] = token.keyID.map { .string($0) }
    // Microsoft's serve all scopes. MSAL Python derives the key of the entry to replace or remove from the entry, including
    // its target, and would miss this one.
    if let issuer = owner.issuer {
      fields["target"] = .string(Self.target(token.scopes))
      // Only msauth writes it; other libraries preserve it.
      fields["realm"] = .string(issuer.realm)
    }
    let key = Self.refreshTokenKey(fields, issuer: owner.issuer)
    // MSAL's libraries store it under different keys; an older entry must not be found.
    remove(.refreshToken, except: key) { entry in
      guard entry.matches(owner.forEveryClient) else { return false }
      let family = entry.nonEmpty("family_id")
      if let family, family == token.familyID { return true }
      // A family's token also serves its other members: only a newer one of the family may replace it.
      return family == nil && entry.matches(owner)
    }
    put(fields, as: key, in: .refreshToken)
  }

  static func refreshTokenKey(_ fields: JSONValue.Object, issuer: Issuer? = nil) -> String {
    func text(_ name: String) -> String? { fields[name]?.string }
    let client = text("family_id") ?? text("client_id")
    let parts = [text("home_account_id"), text("environment"), "refreshtoken", client].map { $0 ?? "" }
    return "\(parts.key)-\(issuer?.realm ?? "")-"
  }

  private mutating func storeIDToken(_ grant: TokenGrant, replacing owner: CacheQuery) {
    guard let idToken = grant.idToken else { return }
    // .NET and Node store it under another of the environment's names; an entry has no time that shows the newer one.
    let key = grant.key("idtoken", grant.account.realm, "")
    remove(.idToken, except: key) { entry in
      entry.matches(owner) && entry.isIn(realm: grant.account.realm)
    }
    var fields = grant.fields(of: "IdToken", secret: idToken)
    fields["realm"] = .string(grant.account.realm)
    put(fields, as: key, in: .idToken)
  }

  package mutating func storeAccount(_ account: AccountEntry, clientInfo: Secret? = nil) {
    var fields: JSONValue.Object = [
      "home_account_id": .string(account.homeAccountID),
      "environment": .string(account.environment),
      "realm": .string(account.realm),
      "local_account_id": .string(account.localAccountID),
      "username": .string(account.username),
      "authority_type": .string(account.authorityType),
      "account_source": .string(account.isFromBroker ? AccountEntry.brokerSource : "authorization_code"),
    ]
    fields["name"] = account.name.map { .string($0) }
    fields["client_info"] = clientInfo.map { .string($0.revealed) }
    let key = [account.homeAccountID, account.environment].key + "-" + account.inKeys(account.realm)
    put(fields, as: key, in: .account)
  }

  private mutating func storeAppMetadata(_ grant: TokenGrant) {
    var fields: JSONValue.Object = [
      "client_id": .string(grant.clientID),
      "environment": .string(grant.account.environment),
    ]
    // A response without a refresh token doesn't show the family of the earlier refresh tokens.
    if let token = grant.refreshToken { fields["family_id"] = .string(token.familyID ?? "") }
    // MSAL Python doesn't lowercase this key.
    put(fields, as: "appmetadata-\(grant.account.environment)-\(grant.clientID)", in: .appMetadata)
  }
}

/// The entries that one token response adds to the cache.
package struct TokenGrant: Sendable {
  /// The account of the tokens; its realm is the ID token's.
  package var account: AccountEntry
  /// The client that they were issued to.
  var clientID: String
  package var accessToken: AccessTokenEntry
  /// False if other callers must not find the access token.
  var keepsAccessToken: Bool
  var refreshToken: RefreshTokenEntry?
  package var idToken: Secret?
  /// Microsoft's `client_info`.
  var clientInfo: Secret?

  package init(
    account: AccountEntry,
    clientID: String,
    accessToken: AccessTokenEntry,
    keepsAccessToken: Bool = true,
    refreshToken: RefreshTokenEntry? = nil,
    idToken: Secret? = nil,
    clientInfo: Secret? = nil
  ) {
    (self.account, self.clientID, self.clientInfo) = (account, clientID, clientInfo)
    self.account.environment = account.environment.lowercased()
    (self.accessToken, self.keepsAccessToken) = (accessToken, keepsAccessToken)
    (self.refreshToken, self.idToken) = (refreshToken, idToken)
  }
}

extension TokenGrant {
  fileprivate func fields(of type: String, secret: Secret) -> JSONValue.Object {
    [
      "credential_type": .string(type),
      "secret": .string(secret.revealed),
      "home_account_id": .string(account.homeAccountID),
      "environment": .string(account.environment),
      "client_id": .string(clientID),
    ]
  }

  fileprivate func key(ofAccessTokenFor target: String) -> String {
    guard let keyID = accessToken.keyID else { return key("accesstoken", accessToken.realm, target) }
    return key("atext", accessToken.realm, target + "-" + keyID)
  }

  fileprivate func key(_ type: String, _ realm: String, _ target: String) -> String {
    [[account.homeAccountID, account.environment, type, clientID].key, account.inKeys(realm), [target].key]
      .joined(separator: "-")
  }
}

extension AccountEntry {
  /// Tenants are case-insensitive, paths are not: two issuers may differ only in case.
  fileprivate func inKeys(_ realm: String) -> String { issuer == nil ? realm.lowercased() : realm }
}

extension [String] {
  /// MSAL's cache key: the parts joined by hyphens, in lowercase.
  var key: String { joined(separator: "-").lowercased() }
}
