/// The sign-out of a resource's session, whose tokens are removed with another change of the store.
package struct ResourceSignOut: Sendable {
  private var signOut: AccountSignOut

  /// Removes the session's tokens from the document; `nil` if the application's authority has accounts.
  package init?(_ application: PublicClientApplication, from document: inout TokenCacheDocument) {
    let (context, authority) = (application.context, application.configuration.authority)
    guard let account = authority.resourceAccount else { return nil }
    signOut = AccountSignOut(context: context, account: account, parameters: SignOutParameters())
    signOut.refreshTokens = signOut.queries.flatMap { document.refreshTokens(matching: $0) }
    signOut.redirectURI = document.forgetSignIn(signOut.key)
    let before = document
    document.removeCredentials(matching: signOut.queries)
    signOut.removedTokens = document != before
    document.setPrincipal(nil, for: context.clientID, at: authority.cacheName)
  }

  /// Ends the session at its issuer; failures are in the report.
  package func finish() async -> SignOutReport {
    var failures: [Authority: AuthenticationError] = [:]
    return await SignOutFlow(context: signOut.context, parameters: signOut.parameters).finish(signOut, &failures)
  }
}
