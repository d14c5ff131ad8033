extension SignOutFlow {
  /// How long a write may still take after cancellation.
  private static let writeTimeout: Duration = .seconds(5)

  /// Signs the accounts out of the store, in one write: an interrupted process signs out all of them or none.
  func removeTokens(of accounts: [Account]) async throws(AuthenticationError) -> [AccountSignOut] {
    try await removeTokens(accounts.map { AccountSignOut(context: context, account: $0, parameters: parameters) })
  }

  /// Removes the tokens of accounts of any application.
  func removeTokens(_ signOuts: [AccountSignOut]) async throws(AuthenticationError) -> [AccountSignOut] {
    let store = try await context.store.writable()
    // Lookups read cached metadata from disk, so they are made before the store is locked.
    var lookups: [TokenLookup] = []
    for signOut in signOuts {
      lookups.append(
        await TokenLookup(context: signOut.context, authority: signOut.authority, account: signOut.account)
      )
    }
    return try await store.whileLocked { lock in
      var document = try await store.load()
      var removed = signOuts
      for (index, signOut) in signOuts.enumerated() {
        removed[index].refreshTokens = signOut.queries.flatMap { document.refreshTokens(matching: $0) }
        removed[index].idToken = lookups[index].idToken(in: document)
        removed[index].redirectURI = document.forgetSignIn(signOut.key)
      }
      let before = document
      remove(signOuts, from: &document)
      let changes = document.differs(from: before, in: signOuts.map { $0.queries.map(\.forEveryClient) })
      for (index, isChanged) in changes.enumerated() { removed[index].removedTokens = isChanged }
      // On a shared device nothing of the account stays, and a provider's error description can name the user.
      if context.isOnSharedDevice { document.clearThrottled() }
      document.removeUnusedBindingKeys()
      await markSignedOut(signOuts, in: &document, alsoOf: parameters.wipesAccount ? before.clientIDs : [])
      try await withCancellationShield(grace: Self.writeTimeout) { [document] in
        try await store.save(document, holding: lock)
        // It may have a token of these accounts, if it couldn't be stored before.
        try? await store.replayJournal(holding: lock)
      }
      return removed
    }
  }

  private func remove(_ signOuts: [AccountSignOut], from document: inout TokenCacheDocument) {
    let queries = signOuts.flatMap(\.queries)
    if parameters.removesEveryAccount, !context.isOnSharedDevice {
      document.removeUserAccounts()
    } else if parameters.wipesAllAccounts {
      document = TokenCacheDocument()
    } else if context.isOnSharedDevice {
      // The device has one user, at any provider.
      document.removeAllAccountsAndSessions()
    } else if parameters.wipesAccount {
      document.removeAccounts(matching: queries)
    } else {
      document.removeCredentials(matching: queries)
    }
  }

  private func markSignedOut(
    _ signOuts: [AccountSignOut],
    in document: inout TokenCacheDocument,
    alsoOf clientIDs: [String]
  ) async {
    // A shared device keeps no username; every sign-in there prompts for credentials.
    for signOut in signOuts where !context.isOnSharedDevice {
      let account = signOut.account
      // The broker would sign its accounts in to the other clients again.
      let others = account.isFromBroker ? clientIDs : []
      let keys = others.map { AccountKey(issuer: nil, clientID: $0, homeAccountID: account.identifier) }
      for key in [signOut.key] + keys { document.markSignedOut(key, username: account.username) }
    }
    // The next call must not report it as another application's sign-out.
    for signOut in signOuts {
      let list = await AccountList(context: signOut.context, authority: signOut.authority)
      list.replaceCurrent(signOut.account, in: &document)
    }
  }
}
