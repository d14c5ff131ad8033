import Core

extension TokenCacheDocument {
  /// Removes an account's tokens of one client, under every name of the environment.
  ///
  /// A family's refresh token stays for the members that the account is still signed in to; that the client may use it
  /// too is no matter, it is marked as signed out. (MSAL Python removes it, and signs the whole family out.)
  ///
  /// The account's entry goes with the last client's tokens: MSAL Python lists every account that has an entry, so one
  /// that stayed would look signed in.
  package mutating func removeCredentials(
    homeAccountID: String,
    environments: [String],
    issuer: Issuer? = nil,
    clientID: String
  ) {
    let ofAccount = { (entry: JSON) in
      entry.belongs(to: homeAccountID, environments: environments) && entry.matches(issuer)
    }
    let inherited = ordered(.refreshToken).compactMap { entry -> JSON.Object? in
      guard ofAccount(entry), entry.matches(client: clientID), let family = entry.filled("family_id"),
        let remainingFamilyClient = remainingFamilyClient(
          of: family,
          besides: clientID,
          homeAccountID: homeAccountID,
          environments: environments
        )
      else { return nil }
      return entry.object?.merging(["client_id": .string(remainingFamilyClient)])
    }
    for kind in [Kind.accessToken, .refreshToken, .idToken] {
      remove(kind) { ofAccount($0) && $0.matches(client: clientID) }
    }
    for fields in inherited {
      let parts = ["home_account_id", "environment", "", "family_id"].map { fields[$0]?.string ?? "refreshtoken" }
      put(fields, as: (parts + ["", ""]).key, in: .refreshToken)
    }
    let isUsed = [Kind.accessToken, .refreshToken, .idToken].contains { ordered($0).contains(where: ofAccount) }
    if !isUsed { remove(.account, where: ofAccount) }
  }

  /// Removes an account with everything of every client, under every name of the environment.
  package mutating func wipe(homeAccountID: String, environments: [String], issuer: Issuer? = nil) {
    for kind in [Kind.accessToken, .refreshToken, .idToken, .account] {
      remove(kind) { $0.belongs(to: homeAccountID, environments: environments) && $0.matches(issuer) }
    }
  }

  /// Removes all accounts with everything of every client, at whatever provider; what is known of the clients stays.
  package mutating func wipeAllAccounts() {
    for kind in [Kind.accessToken, .refreshToken, .idToken, .account] { remove(kind) { _ in true } }
  }

  /// Another client of a family that the account is signed in to; every sign-in leaves an access token or an ID token.
  private func remainingFamilyClient(
    of family: String,
    besides clientID: String,
    homeAccountID: String,
    environments: [String]
  ) -> String? {
    let tokens = (ordered(.accessToken) + ordered(.idToken)).filter {
      $0.belongs(to: homeAccountID, environments: environments)
    }
    let members = ordered(.appMetadata).filter {
      $0.isIn(environments) && $0.has("family_id", family) && !$0.matches(client: clientID)
    }
    return members.compactMap { $0.filled("client_id") }.first { member in
      !isSignedOut(homeAccountID: homeAccountID, clientID: member) && tokens.contains { $0.matches(client: member) }
    }
  }
}
