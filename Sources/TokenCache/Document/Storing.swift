import Primitives

extension TokenCacheDocument {
  /// Writes what a token response brought.
  ///
  /// Keys are MSAL Python's, the refresh token's is .NET's: every reader of the schema finds these (Node picks by key,
  /// .NET makes its own keys from the fields, Python and Go search).
  ///
  /// - Parameters:
  ///   - grant: The response.
  ///   - aliases: The environment's names, the grant's own first.
  ///   - createsAccount: Whether the account is written too; a refresh must not bring back an account that another
  ///     process has just removed.
  package mutating func store(_ grant: TokenGrant, environmentAliases aliases: [String], createsAccount: Bool) {
    let aliases = aliases.map { $0.lowercased() }
    storeAccessToken(grant, aliases)
    storeRefreshToken(grant, aliases)
    storeIDToken(grant)
    if createsAccount { storeAccount(grant) }
    storeAppMetadata(grant)
  }

  private mutating func storeAccessToken(_ grant: TokenGrant, _ aliases: [String]) {
    let scopes = Set(grant.scopes.map { $0.lowercased() })
    // Of two tokens for one scope a reader would not know which is newer.
    remove(.accessToken) { entry in
      entry.belongs(to: grant.homeAccountID, environments: aliases) && entry.has("client_id", grant.clientID)
        && entry.has("realm", grant.realm) && !scopes.isDisjoint(with: entry.scopes.map { $0.lowercased() })
    }
    let target = grant.sortedTarget
    var fields = grant.owner(of: "AccessToken", secret: grant.accessToken)
    fields["realm"] = .string(grant.realm)
    fields["target"] = .string(target)
    fields["token_type"] = .string(grant.tokenType)
    fields["cached_at"] = .time(grant.cachedAt)
    fields["expires_on"] = .time(grant.expiresOn)
    fields["extended_expires_on"] = .time(grant.extendedExpiresOn ?? grant.expiresOn)
    fields["refresh_on"] = grant.refreshOn.map { .time($0) }
    put(fields, as: grant.key("accesstoken", grant.clientID, grant.realm, target), in: .accessToken)
  }

  private mutating func storeRefreshToken(_ grant: TokenGrant, _ aliases: [String]) {
    // RFC 6749 §6: a response without a new refresh token leaves the old one in force.
    guard let refreshToken = grant.refreshToken else { return }
    // Python keys it by client and scopes, .NET and Go by client or family: an older sibling must not be found.
    remove(.refreshToken) { entry in
      guard entry.belongs(to: grant.homeAccountID, environments: aliases) else { return false }
      if let family = grant.familyID, entry.has("family_id", family) { return true }
      return entry.has("client_id", grant.clientID)
    }
    var fields = grant.owner(of: "RefreshToken", secret: refreshToken)
    fields["target"] = .string(grant.sortedTarget)
    fields["last_modification_time"] = .time(grant.cachedAt)
    fields["family_id"] = grant.familyID.map { .string($0) }
    put(fields, as: grant.key("refreshtoken", grant.familyID ?? grant.clientID, "", ""), in: .refreshToken)
  }

  private mutating func storeIDToken(_ grant: TokenGrant) {
    guard let idToken = grant.idToken else { return }
    var fields = grant.owner(of: "IdToken", secret: idToken)
    fields["realm"] = .string(grant.realm)
    put(fields, as: grant.key("idtoken", grant.clientID, grant.realm, ""), in: .idToken)
  }

  private mutating func storeAccount(_ grant: TokenGrant) {
    var fields: [String: JSONValue] = [
      "home_account_id": .string(grant.homeAccountID),
      "environment": .string(grant.environment),
      "realm": .string(grant.realm),
      "local_account_id": .string(grant.localAccountID),
      "username": .string(grant.username),
      "authority_type": .string(grant.authorityType),
      "account_source": "authorization_code",
    ]
    fields["name"] = grant.name.map { .string($0) }
    fields["client_info"] = grant.clientInfo.map { .string($0.revealed) }
    put(fields, as: [grant.homeAccountID, grant.environment, grant.realm].key, in: .account)
  }

  private mutating func storeAppMetadata(_ grant: TokenGrant) {
    // MSAL Python does not lower the letters of this key.
    var fields: [String: JSONValue] = [
      "client_id": .string(grant.clientID), "environment": .string(grant.environment),
    ]
    fields["family_id"] = .string(grant.familyID ?? "")
    put(fields, as: "appmetadata-\(grant.environment)-\(grant.clientID)", in: .appMetadata)
  }
}

extension TokenGrant {
  /// The scopes in ASCII order, as MSAL Python writes them.
  fileprivate var sortedTarget: String { scopes.sorted().joined(separator: " ") }

  fileprivate func owner(of type: String, secret: Secret) -> [String: JSONValue] {
    [
      "credential_type": .string(type),
      "secret": .string(secret.revealed),
      "home_account_id": .string(homeAccountID),
      "environment": .string(environment),
      "client_id": .string(clientID),
    ]
  }

  fileprivate func key(_ type: String, _ client: String, _ realm: String, _ target: String) -> String {
    [homeAccountID, environment, type, client, realm, target].key
  }
}

extension [String] {
  /// MSAL's cache key: the parts with hyphens between them, in small letters.
  fileprivate var key: String { joined(separator: "-").lowercased() }
}

extension JSONValue {
  /// A Unix time as MSAL writes it, as decimal text.
  ///
  /// A number makes .NET clear the whole cache.
  fileprivate static func time(_ time: UnixTime) -> JSONValue { .string(String(time)) }

  /// The scopes of an entry.
  var scopes: [String] {
    (text("target") ?? "").split(separator: " ").map(String.init)
  }
}
