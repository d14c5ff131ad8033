/// The sign-out of a resource's session, whose tokens are removed with another change of the store.
package struct ResourceSignOut: Sendable {
  fileprivate let signOut: AccountSignOut

  /// Ends the session at its issuer; failures are in the report.
  package func finish() async -> SignOutReport {
    var failures: [Authority: AuthenticationError] = [:]
    return await SignOutFlow(context: signOut.context, parameters: signOut.parameters).finish(signOut, &failures)
  }
}

extension PublicClientApplication {
  /// Removes the tokens of the resource's session from the document; `nil` if the authority has accounts.
  package func removeResourceSession(from document: inout TokenCacheDocument) -> ResourceSignOut? {
    let authority = configuration.authority
    guard let account = authority.resourceAccount else { return nil }
    var signOut = AccountSignOut(context: context, account: account, parameters: SignOutParameters())
    signOut.refreshTokens = signOut.queries.flatMap { document.refreshTokens(matching: $0) }
    signOut.redirectURI = document.forgetSignIn(signOut.key)
    let before = document
    document.removeCredentials(matching: signOut.queries)
    signOut.removedTokens = document != before
    document.setPrincipal(nil, for: context.clientID, at: authority.cacheName)
    return ResourceSignOut(signOut: signOut)
  }
}
