package import Core

extension TokenCacheDocument {
  /// Removes an account's tokens of one client, under every name of the environment.
  ///
  /// A family's refresh token stays for the members that the account is still signed in to; that the client may use it
  /// too is no matter, it is marked as signed out. (MSAL Python removes it, and signs the whole family out.)
  ///
  /// The account's entry goes with the last client's tokens: MSAL Python lists every account that has an entry, so one
  /// that stayed would look signed in.
  ///
  /// - Parameter query: It names one account and one client; otherwise nothing is removed.
  package mutating func removeCredentials(matching query: CacheQuery) {
    guard query.account != nil, let clientID = query.clientID else { return }
    let ofAnyClient = query.forEveryClient
    let inherited = ordered(.refreshToken, of: query.account).compactMap { entry -> JSON.Object? in
      guard entry.matches(query), let family = entry.filled("family_id"),
        let remainingFamilyClient = remainingFamilyClient(of: family, besides: clientID, matching: ofAnyClient)
      else { return nil }
      return entry.object?.merging(["client_id": .string(remainingFamilyClient)])
    }
    for kind in Kind.tokens { remove(kind) { $0.matches(query) } }
    for fields in inherited {
      let parts = ["home_account_id", "environment", "", "family_id"].map { fields[$0]?.string ?? "refreshtoken" }
      put(fields, as: (parts + ["", ""]).key, in: .refreshToken)
    }
    let isUsed = Kind.tokens.contains { ordered($0, of: query.account).contains { $0.matches(ofAnyClient) } }
    if !isUsed { remove(.account) { $0.matches(ofAnyClient) } }
  }

  /// Removes one access token of a client.
  ///
  /// - Returns: Whether it was there.
  package mutating func removeAccessToken(_ secret: Secret, clientID: String) -> Bool {
    var isFound = false
    remove(.accessToken) { entry in
      let isMatch = entry.matches(client: clientID) && entry.string("secret").map { Secret($0) == secret } ?? false
      isFound = isFound || isMatch
      return isMatch
    }
    return isFound
  }

  /// Removes an account with everything of every client, under every name of the environment.
  ///
  /// - Parameter query: It names one account; otherwise nothing is removed.
  package mutating func wipe(matching query: CacheQuery) {
    guard query.account != nil else { return }
    for kind in Kind.tokens + [.account] { remove(kind) { $0.matches(query.forEveryClient) } }
  }

  /// Removes all accounts with everything of every client, at whatever provider; what is known of the clients stays.
  package mutating func wipeAllAccounts() {
    for kind in Kind.tokens + [.account] { remove(kind) { _ in true } }
  }

  /// Another client of a family that the account is signed in to; every sign-in leaves an access token or an ID token.
  private func remainingFamilyClient(
    of family: String,
    besides clientID: String,
    matching query: CacheQuery
  ) -> String? {
    let tokens = [Kind.accessToken, .idToken].flatMap { ordered($0, of: query.account) }.filter { $0.matches(query) }
    let members = ordered(.appMetadata).filter {
      $0.isIn(query.environments) && $0.has("family_id", family) && !$0.matches(client: clientID)
    }
    return members.compactMap { $0.filled("client_id") }.first { member in
      let hasLeft = query.account.map { isSignedOut(homeAccountID: $0, clientID: member) } ?? true
      return !hasLeft && tokens.contains { $0.matches(client: member) }
    }
  }
}
