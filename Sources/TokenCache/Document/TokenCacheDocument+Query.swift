package import Core

extension TokenCacheDocument {
  /// Seconds by which a machine that shares the cache over the network may be ahead.
  static let clockSkew: UnixTime = 60

  /// The accounts at an environment, one entry a tenant.
  ///
  /// - Parameters:
  ///   - environments: The environment's names.
  ///   - issuer: Which of its issuers; nil for Microsoft, whose accounts are neither a plain provider's nor AD FS's.
  /// - Returns: The entries that have all that an account needs.
  package func accounts(environments: [String], issuer: Issuer? = nil) -> [AccountEntry] {
    accounts().filter { account in
      environments.contains { $0.lowercased() == account.environment.lowercased() } && account.matches(issuer)
    }
  }

  /// The accounts at all environments, one entry a tenant.
  package func accounts() -> [AccountEntry] {
    ordered(.account).compactMap { entry in
      guard let account = entry.filled("home_account_id"), let environment = entry.string("environment") else {
        return nil
      }
      return AccountEntry(
        homeAccountID: account,
        environment: environment,
        // .NET leaves it out; AD FS has one path alone.
        realm: entry.string("realm") ?? (entry.has("authority_type", "ADFS") ? "adfs" : ""),
        localAccountID: entry.string("local_account_id") ?? "",
        username: entry.string("username") ?? "",
        authorityType: entry.string("authority_type") ?? "",
        name: entry.string("name")
      )
    }
  }

  /// The accounts that a client can renew tokens for, or has a token of.
  ///
  /// Not every provider gives refresh tokens; an account without one is signed in as long as a token of it is here.
  package func accounts(
    environments: [String],
    issuer: Issuer? = nil,
    signedInTo clientID: String
  ) -> [AccountEntry] {
    accounts(environments: environments, issuer: issuer).filter { account in
      let home = account.homeAccountID
      if !refreshTokens(account: home, environments: environments, issuer: issuer, clientID: clientID).isEmpty {
        return true
      }
      return ordered(.accessToken).contains { entry in
        entry.belongs(to: home, environments: environments) && entry.matches(issuer) && entry.matches(client: clientID)
      }
    }
  }

  /// The access token that was cached last among those that serve.
  ///
  /// Not the one that lives longest: lifetimes differ by chance, and a token that was renewed on demand must not lose
  /// to the one that it replaces. One that claims to come from the future was cached while the clock was wrong, and so
  /// may have expired long ago.
  ///
  /// - Parameters:
  ///   - account: The home account id.
  ///   - environments: The environment's names.
  ///   - issuer: Which of its issuers; nil for Microsoft.
  ///   - clientID: Whose token.
  ///   - realms: The tenants it may stand under, in any case of letters.
  ///   - scopes: What it must cover, in any case of letters.
  ///   - validAfter: The Unix time at which it must still be valid.
  ///   - now: The Unix time.
  ///   - isBound: Whether it must be bound to a key that the cache holds; else it is one that is bound to none.
  /// - Returns: The token, or nil when none serves.
  package func accessToken(
    account: String,
    environments: [String],
    issuer: Issuer? = nil,
    clientID: String,
    realms: [String],
    scopes: [String],
    validAfter: UnixTime,
    now: UnixTime,
    isBound: Bool = false
  ) -> AccessTokenEntry? {
    let realms = Set(realms.map { $0.lowercased() })
    let wanted = Set(scopes.map { $0.lowercased() })
    return ordered(.accessToken).compactMap { entry -> AccessTokenEntry? in
      guard entry.belongs(to: account, environments: environments), entry.matches(issuer),
        entry.matches(client: clientID),
        let realm = entry.string("realm"), realms.contains(realm.lowercased()),
        wanted.isSubset(of: entry.scopes.map { $0.lowercased() }),
        let expiresOn = entry.time("expires_on"), expiresOn > validAfter, let secret = entry.filled("secret"),
        isBound ? holdsKey(of: entry, for: clientID) : entry.isPlainBearer,
        entry.time("cached_at") ?? 0 <= now + Self.clockSkew
      else { return nil }
      return AccessTokenEntry(
        secret: Secret(secret),
        homeAccountID: account,
        environment: entry.string("environment") ?? "",
        clientID: clientID,
        realm: realm,
        scopes: entry.scopes,
        tokenType: isBound ? JSON.boundType : "Bearer",
        cachedAt: entry.time("cached_at") ?? 0,
        expiresOn: expiresOn,
        extendedExpiresOn: entry.time("extended_expires_on"),
        refreshOn: entry.time("refresh_on"),
        keyID: isBound ? entry.filled("key_id") : nil
      )
    }.max { ($0.cachedAt, $0.expiresOn) < ($1.cachedAt, $1.expiresOn) }
  }

  /// The refresh tokens that may serve a client: its own and its family's, newest first.
  package func refreshTokens(
    account: String,
    environments: [String],
    issuer: Issuer? = nil,
    clientID: String
  ) -> [RefreshTokenEntry] {
    let family = familyID(of: clientID, environments: environments)
    return refreshTokensByKey(issuer).compactMap { entry -> RefreshTokenEntry? in
      // Microsoft's serve all tenants, so no library gives them a realm: one that has it must not be sent there.
      guard entry.belongs(to: account, environments: environments), entry.matches(issuer),
        issuer != nil || entry["realm"] == nil, let secret = entry.filled("secret"),
        entry.matches(client: clientID) || (family != nil && entry.string("family_id") == family)
      else { return nil }
      return RefreshTokenEntry(
        secret: Secret(secret),
        homeAccountID: account,
        environment: entry.string("environment") ?? "",
        clientID: entry.string("client_id") ?? "",
        scopes: entry.scopes,
        familyID: entry.filled("family_id"),
        lastModified: entry.time("last_modification_time") ?? 0,
        keyID: entry.filled("key_id")
      )
    }
    // Of one second, the later one goes first.
    .enumerated().sorted { ($0.element.lastModified, $0.offset) > ($1.element.lastModified, $1.offset) }.map(\.element)
  }

  /// The entries of refresh tokens in the order in which those of one second were written.
  ///
  /// Whatever stands beside our own came after it, since storing it removed all others. Our key is the shortest, but for
  /// an issuer's path in it, which no other library writes.
  private func refreshTokensByKey(_ issuer: Issuer?) -> [JSON] {
    guard let issuer else { return ordered(.refreshToken) }
    let sorted = entries(.refreshToken).sorted
    let isOurs = { (key: String) in key.hasSuffix("-\(issuer.realm)-") }
    return (sorted.filter { isOurs($0.key) } + sorted.filter { !isOurs($0.key) }).map(\.value)
  }

  /// An account's ID token of the first realm that has one.
  ///
  /// - Parameters:
  ///   - account: The home account id.
  ///   - environments: The environment's names.
  ///   - issuer: Which of its issuers; nil for Microsoft.
  ///   - clientID: Whose token.
  ///   - realms: The tenants, the preferred one first, in any case of letters.
  /// - Returns: The token, or nil when there is none.
  package func idToken(
    account: String,
    environments: [String],
    issuer: Issuer? = nil,
    clientID: String,
    realms: [String]
  ) -> IDTokenEntry? {
    let found = ordered(.idToken).filter { entry in
      entry.belongs(to: account, environments: environments) && entry.matches(issuer) && entry.matches(client: clientID)
    }
    for realm in realms {
      for entry in found where entry.isIn(realm: realm) {
        guard let secret = entry.filled("secret") else { continue }
        return IDTokenEntry(
          secret: Secret(secret),
          homeAccountID: account,
          environment: entry.string("environment") ?? "",
          clientID: clientID,
          realm: entry.string("realm") ?? ""
        )
      }
    }
    return nil
  }

  private func familyID(of clientID: String, environments: [String]) -> String? {
    ordered(.appMetadata).first { $0.isIn(environments) && $0.matches(client: clientID) }?
      .filled("family_id")
  }
}
