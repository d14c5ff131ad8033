package import MSAuthCore

extension TokenCacheDocument {
  /// How many rejected access tokens of an account are remembered.
  private static let rejectedLimit = 8

  /// Removes the accounts' tokens of one client.
  ///
  /// A family's refresh token stays for other members that the account is signed in to (MSAL Python removes it and signs the
  /// whole family out). The account's entry is removed with the last client's tokens: MSAL Python lists every entry.
  package mutating func removeCredentials(matching queries: [CacheQuery]) {
    let queries = queries.filter { $0.account != nil && $0.clientID != nil }
    let inherited = queries.flatMap { query in
      ordered(.refreshToken, of: query.account).compactMap { entry -> JSONValue.Object? in
        guard entry.matches(query), let family = entry.nonEmpty("family_id"), let clientID = query.clientID,
          let heir = otherFamilyClient(of: family, besides: clientID, matching: query.forEveryClient)
        else { return nil }
        return entry.object?.merging(["client_id": .string(heir)])
      }
    }
    remove(Kind.tokens, matching: queries)
    for fields in inherited { put(fields, as: Self.refreshTokenKey(fields), in: .refreshToken) }
    let unused = queries.map(\.forEveryClient).filter { query in
      !Kind.tokens.contains { ordered($0, of: query.account).contains { $0.matches(query) } }
    }
    remove([.account], matching: unused)
  }

  /// Removes an access token, and stores the hash of a broker's, which the broker may return again.
  package mutating func removeAccessToken(_ secret: Secret, clientID: String) -> Bool {
    let removed = remove(.accessToken) { entry in
      entry.matches(client: clientID) && entry.string("secret").map { Secret($0) == secret } ?? false
    }
    let owners = removed.owners
    for id in Set(accounts().filter(\.isFromBroker).map(\.homeAccountID)) where owners.contains(AccountID(id)) {
      let key = AccountKey(clientID: clientID, homeAccountID: id)
      setRejectedHashes((rejectedHashes(of: key) + [secret.digest]).suffix(Self.rejectedLimit), of: key)
    }
    return !removed.isEmpty
  }

  /// Removes accounts and every client's tokens for them, under every name of the environment.
  package mutating func removeAccounts(matching queries: [CacheQuery]) {
    remove(Kind.tokens + [.account], matching: queries.filter { $0.account != nil }.map(\.forEveryClient))
  }

  /// Removes the accounts of every client and their tokens; the sessions of MCP servers stay.
  package mutating func removeUserAccounts() {
    for kind in Kind.tokens + [.account] { remove(kind) { $0.string("realm")?.isResourceRealm != true } }
  }

  /// Removes the sessions of resources that none of the queries matches; returns whether they had refresh tokens.
  package mutating func removeResources(besides used: [CacheQuery]) -> Bool {
    func isUnused(_ entry: JSONValue, _ used: [CacheQuery]) -> Bool {
      entry.string("realm")?.isResourceRealm == true && !used.contains { entry.matches($0) }
    }
    // An account is every client's.
    let usedByAny = used.map(\.forEveryClient)
    remove(.account) { isUnused($0, usedByAny) }
    for kind in [Kind.accessToken, .idToken] { remove(kind) { isUnused($0, used) } }
    return !remove(.refreshToken) { isUnused($0, used) }.isEmpty
  }

  /// Removes all accounts, their tokens and keys, and the MCP servers; the clients' other state stays.
  package mutating func removeAllAccountsAndSessions() {
    for kind in Kind.tokens + [.account] { remove(kind) { _ in true } }
    removeUnusedBindingKeys()
    state[Self.mcp] = nil
    // A provider's error description can name the user.
    clearThrottled()
  }

  /// Removes the entries that one of the queries matches; each map is scanned once, however many there are.
  private mutating func remove(_ kinds: [Kind], matching queries: [CacheQuery]) {
    for kind in kinds { remove(kind) { entry in queries.contains { entry.matches($0) } } }
  }

  /// Another client of a family that the account is signed in to; every sign-in leaves an access token or an ID token.
  private func otherFamilyClient(of family: String, besides clientID: String, matching query: CacheQuery) -> String? {
    let tokens = [Kind.accessToken, .idToken].flatMap { ordered($0, of: query.account) }.filter { $0.matches(query) }
    let members = ordered(.appMetadata).filter {
      $0.isIn(query.environments) && $0.has("family_id", family) && !$0.matches(client: clientID)
    }
    return members.compactMap { $0.nonEmpty("client_id") }.first { member in
      let hasLeft = query.account.map {
        isSignedOut(AccountKey(issuer: query.issuer, clientID: member, homeAccountID: $0))
      }
      return hasLeft == false && tokens.contains { $0.matches(client: member) }
    }
  }
}
