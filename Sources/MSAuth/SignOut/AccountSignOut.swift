/// One account's sign-out, and what it removed from the store.
struct AccountSignOut: Sendable {
  let context: Context
  let account: Account
  let parameters: SignOutParameters

  var removedTokens = false
  var refreshTokens: [RefreshTokenEntry] = []
  var idToken: Secret?
  /// The redirect URI of the sign-in, if it wasn't the authority's default; it is registered for sign-out too.
  var redirectURI: String?

  /// The authority to contact.
  var authority: Authority {
    let requested = parameters.authority ?? context.configuration.authority
    let authority = context.configuration.authority(requested, of: account)
    guard parameters.removesEveryAccount else { return authority }
    return context.configuration.authority(authority, orProviderOf: account)
  }

  /// Whether the account is at Microsoft, which doesn't revoke refresh tokens.
  var isMicrosoft: Bool {
    // The accounts of all other providers have a realm.
    knowsProvider ? authority.isMicrosoft : parameters.removesEveryAccount && account.realm == nil
  }

  /// Whether ``authority`` is the account's provider.
  var knowsProvider: Bool { authority.isProvider(of: account) }

  /// The account whose tokens it removes.
  var key: AccountKey {
    AccountKey(issuer: queries[0].issuer, clientID: context.clientID, homeAccountID: account.identifier)
  }

  /// The account's entries; Microsoft's IDs are unique, but at another issuer the same ID may be another account's.
  var queries: [CacheQuery] {
    let requested = CacheQuery(authority, account: account.identifier, clientID: context.clientID)
    if knowsProvider { return [requested] }
    let actual = CacheQuery(account, clientID: context.clientID)
    return requested.issuer == nil && actual.issuer == nil ? [actual, requested] : [actual]
  }
}
