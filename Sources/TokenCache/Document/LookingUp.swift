package import Primitives

extension TokenCacheDocument {
  /// The accounts at an environment, one entry a tenant.
  ///
  /// - Parameter environments: The environment's names.
  /// - Returns: The entries that have all that an account needs.
  package func accounts(environments: [String]) -> [AccountEntry] {
    entries(.account).values.compactMap { entry in
      guard entry.isIn(environments), let account = entry.text("home_account_id"), !account.isEmpty,
        let environment = entry.text("environment")
      else { return nil }
      return AccountEntry(
        homeAccountID: account,
        environment: environment,
        realm: entry.text("realm") ?? "",
        localAccountID: entry.text("local_account_id") ?? "",
        username: entry.text("username") ?? "",
        authorityType: entry.text("authority_type") ?? "",
        name: entry.text("name")
      )
    }
  }

  /// The accounts that a client can renew tokens for, or has a token of.
  ///
  /// Not every provider gives refresh tokens; an account without one is signed in as long as a token of it is here.
  package func accounts(environments: [String], signedInTo clientID: String) -> [AccountEntry] {
    accounts(environments: environments).filter { account in
      if !refreshTokens(account: account.homeAccountID, environments: environments, clientID: clientID).isEmpty {
        return true
      }
      return (entries(.accessToken).values).contains { entry in
        entry.belongs(to: account.homeAccountID, environments: environments) && entry.has("client_id", clientID)
      }
    }
  }

  /// The access token that lives longest among those that serve.
  ///
  /// - Parameters:
  ///   - account: The home account id.
  ///   - environments: The environment's names.
  ///   - clientID: Whose token.
  ///   - realms: The tenants it may stand under, in any case of letters.
  ///   - scopes: What it must cover, in any case of letters.
  ///   - validAfter: The Unix time at which it must still be valid.
  /// - Returns: The token, or nil when none serves.
  package func accessToken(
    account: String,
    environments: [String],
    clientID: String,
    realms: [String],
    scopes: [String],
    validAfter: UnixTime
  ) -> AccessTokenEntry? {
    let realms = Set(realms.map { $0.lowercased() })
    let wanted = Set(scopes.map { $0.lowercased() })
    return entries(.accessToken).values.compactMap { entry -> AccessTokenEntry? in
      guard entry.belongs(to: account, environments: environments), entry.has("client_id", clientID),
        let realm = entry.text("realm"), realms.contains(realm.lowercased()),
        wanted.isSubset(of: entry.scopes.map { $0.lowercased() }),
        let expiresOn = entry.time("expires_on"), expiresOn > validAfter,
        let secret = entry.text("secret"), !secret.isEmpty,
        // A token that is bound to a key or a special use stands beside the plain ones and is not for us.
        entry.text("token_type").map({ $0.lowercased() == "bearer" }) ?? true, entry["ext_cache_key"] == nil
      else { return nil }
      return AccessTokenEntry(
        secret: Secret(secret),
        homeAccountID: account,
        environment: entry.text("environment") ?? "",
        clientID: clientID,
        realm: realm,
        scopes: entry.scopes,
        tokenType: "Bearer",
        cachedAt: entry.time("cached_at") ?? 0,
        expiresOn: expiresOn,
        extendedExpiresOn: entry.time("extended_expires_on"),
        refreshOn: entry.time("refresh_on")
      )
    }.max { ($0.expiresOn, $0.cachedAt) < ($1.expiresOn, $1.cachedAt) }
  }

  /// The refresh tokens that may serve a client: its own and its family's, newest first.
  package func refreshTokens(account: String, environments: [String], clientID: String) -> [RefreshTokenEntry] {
    let family = familyID(of: clientID, environments: environments)
    return entries(.refreshToken).values.compactMap { entry -> RefreshTokenEntry? in
      guard entry.belongs(to: account, environments: environments), let secret = entry.text("secret"), !secret.isEmpty,
        entry.has("client_id", clientID) || (family != nil && entry.text("family_id") == family)
      else { return nil }
      return RefreshTokenEntry(
        secret: Secret(secret),
        homeAccountID: account,
        environment: entry.text("environment") ?? "",
        clientID: entry.text("client_id") ?? "",
        scopes: entry.scopes,
        familyID: entry.text("family_id").flatMap { $0.isEmpty ? nil : $0 },
        lastModified: entry.time("last_modification_time") ?? 0
      )
    }.sorted { $0.lastModified > $1.lastModified }
  }

  /// The newest ID token of an account.
  package func idToken(account: String, environments: [String], clientID: String, realms: [String]) -> IDTokenEntry? {
    let realms = realms.map { $0.lowercased() }
    let found = entries(.idToken).values.filter { entry in
      entry.belongs(to: account, environments: environments) && entry.has("client_id", clientID)
        && realms.contains(entry.text("realm")?.lowercased() ?? "") && entry.text("secret")?.isEmpty == false
    }
    return found.first.flatMap { entry in
      guard let secret = entry.text("secret") else { return nil }
      return IDTokenEntry(
        secret: Secret(secret),
        homeAccountID: account,
        environment: entry.text("environment") ?? "",
        clientID: clientID,
        realm: entry.text("realm") ?? ""
      )
    }
  }

  private func familyID(of clientID: String, environments: [String]) -> String? {
    entries(.appMetadata).values.first { $0.isIn(environments) && $0.has("client_id", clientID) }?
      .text("family_id").flatMap { $0.isEmpty ? nil : $0 }
  }
}
