extension SignOutFlow {
  /// Signs the accounts out of the store, in one write: an interrupted process signs out all of them or none.
  func removeTokens(of accounts: [Account]) async throws(AuthenticationError) -> [AccountSignOut] {
    try await removeFromStore(accounts.map { AccountSignOut(context: context, account: $0, parameters: parameters) })
  }

  /// Removes the tokens of accounts of any application.
  func removeFromStore(_ signOuts: [AccountSignOut]) async throws(AuthenticationError) -> [AccountSignOut] {
    let store = try await context.store.writable()
    // These read cached metadata from disk, so they are created before the store is locked.
    var (lookups, lists): ([TokenLookup], [AccountList]) = ([], [])
    for signOut in signOuts {
      let (context, authority) = (signOut.context, signOut.authority)
      lookups.append(await TokenLookup(context: context, authority: authority, account: signOut.account))
      lists.append(await AccountList(context: context, authority: authority))
    }
    return try await store.change { document in
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
      document.removeUnusedBindingKeys()
      markSignedOut(signOuts, in: &document, alsoOf: parameters.wipesAccount ? before.clientIDs : [])
      // The next call must not report it as another application's sign-out.
      for (signOut, list) in zip(signOuts, lists) { list.replaceCurrent(signOut.account, in: &document) }
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
  ) {
    // A shared device keeps no username; every sign-in there prompts for credentials.
    guard !context.isOnSharedDevice else { return }
    for signOut in signOuts {
      let account = signOut.account
      // The broker would sign its accounts in to the other clients again.
      let others = account.isFromBroker ? clientIDs : []
      let keys = others.map { AccountKey(issuer: nil, clientID: $0, homeAccountID: account.identifier) }
      for key in [signOut.key] + keys { document.markSignedOut(key, username: account.username) }
    }
  }
}
