extension TokenCacheDocument {
  /// Removes an account's tokens of one client, under every name of the environment.
  ///
  /// The account's entry goes with the last client's tokens: MSAL Python lists every account that has an entry, so one
  /// that stayed would look signed in.
  package mutating func removeCredentials(homeAccountID: String, environments: [String], clientID: String) {
    for kind in [Kind.accessToken, .refreshToken, .idToken] {
      remove(kind) { $0.belongs(to: homeAccountID, environments: environments) && $0.isOf(client: clientID) }
    }
    let isUsed = [Kind.accessToken, .refreshToken, .idToken].contains { kind in
      ordered(kind).contains { $0.belongs(to: homeAccountID, environments: environments) }
    }
    if !isUsed {
      remove(.account) { $0.belongs(to: homeAccountID, environments: environments) }
    }
  }

  /// Removes an account with everything of every client, under every name of the environment.
  package mutating func wipe(homeAccountID: String, environments: [String]) {
    for kind in [Kind.accessToken, .refreshToken, .idToken, .account] {
      remove(kind) { $0.belongs(to: homeAccountID, environments: environments) }
    }
  }
}
