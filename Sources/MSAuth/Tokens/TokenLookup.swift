/// Finds an account's tokens in the cache, for one client at one authority.
package struct TokenLookup: Sendable {
  let context: Context
  /// The authority that issues the account's tokens.
  let authority: Authority
  package let account: Account
  /// The tenant's ID, if the authority names it by its domain and the metadata is cached.
  var tenantID: String?

  package init(context: Context, authority: Authority, account: Account) async {
    self.context = context
    self.authority = context.configuration.authority(authority, of: account)
    self.account = account
    if self.authority.namesTenantByDomain {
      tenantID = await context.dependencies.cachedMetadata(of: self.authority)?.tenantID
    }
  }

  /// The authority to refresh at.
  var homeAuthority: Authority { authority.home(of: account.identifier) }

  package func accessToken(in document: TokenCacheDocument, scopes: Scopes, validity: RequiredValidity)
    -> AccessTokenEntry?
  {
    let token = document.accessToken(
      matching: queryInRealms,
      scopes: scopes.namedByToken(ignoringCase: authority.ignoresScopeCase),
      validity: validity,
      now: context.now,
      isBound: context.configuration.usesDPoP
    )
    return token.flatMap { isUsable($0.keyID, in: document) ? $0 : nil }
  }

  /// The usable refresh tokens, newest first.
  package func refreshTokens(in document: TokenCacheDocument) -> [RefreshTokenEntry] {
    document.refreshTokens(matching: query).filter { isUsable($0.keyID, in: document) }
  }

  /// The default scopes: those of the sign-in, not of the newest token.
  func signInScopes(in document: TokenCacheDocument) -> Scopes {
    refreshTokens(in: document).first.flatMap(granted) ?? .none
  }

  /// The scopes that a refresh may request at a plain provider (RFC 6749 §6); Microsoft's tokens serve other resources too.
  func granted(_ token: RefreshTokenEntry) -> Scopes? {
    let scopes = Scopes(usable: token.scopes)
    return authority.kind != .oidc || scopes.isEmpty ? nil : scopes
  }

  func grants(_ scopes: Scopes, _ token: RefreshTokenEntry) -> Bool {
    granted(token).map { scopes.withoutReserved().subtracting($0).isEmpty } ?? true
  }

  func idToken(in document: TokenCacheDocument) -> Secret? {
    document.idToken(matching: queryInRealms)
  }

  /// The stored ID token's claims, or a substitute: another library may have stored none.
  func knownClaims(in document: TokenCacheDocument) -> IDTokenClaims {
    if let claims = idToken(in: document).flatMap({ try? IDToken.unverifiedClaims($0) }) { return claims }
    var claims: JSONValue.Object = ["preferred_username": .string(account.username)]
    // A guest's token is from the requested tenant, not from the home tenant.
    if authority.isMicrosoft, let tenant = authority.isTenantless ? homeTenant : tenantID {
      claims["tid"] = .string(tenant)
    }
    return IDTokenClaims(claims)
  }

  /// The account whose tokens it finds.
  var accountKey: AccountKey {
    AccountKey(issuer: authority.issuer, clientID: context.clientID, homeAccountID: account.identifier)
  }

  /// The account's entries of this client at this authority.
  var query: CacheQuery { CacheQuery(authority, account: account.identifier, clientID: context.clientID) }

  /// The entries in the authority's realms only.
  private var queryInRealms: CacheQuery {
    var query = query
    // The authority's realm, the account's home tenant (.NET, Node), the ID of a named tenant.
    let other = authority.isTenantless ? homeTenant : authority.namesTenantByDomain ? tenantID : nil
    query.realms = [authority.realm(tenantID: nil), other].compactMap(\.self)
    return query
  }

  private var homeTenant: String? { authority.isMicrosoft ? Account.homeTenant(in: account.identifier) : nil }

  func key(_ keyID: String?, in document: TokenCacheDocument) -> DPoPKey? {
    guard context.configuration.usesDPoP, let keyID else { return nil }
    return document.bindingKey(keyID, of: context.clientID).flatMap(DPoPKey.init)
  }

  /// Whether a token can be used: with DPoP if its key is available, without DPoP if it isn't bound.
  func isUsable(_ keyID: String?, in document: TokenCacheDocument) -> Bool {
    context.configuration.usesDPoP ? key(keyID, in: document) != nil : keyID == nil
  }

  /// Why no refresh token of the account can be used here.
  func whyNoRefreshToken(in document: TokenCacheDocument) -> AuthenticationError {
    let name = account.username.printable()
    let unusable = refreshTokens(in: document).isEmpty ? document.refreshTokens(matching: query).first : nil
    let (what, reason): (String, AuthenticationError.Reason) =
      switch (unusable, context.configuration.usesDPoP) {
      case (let token?, true) where token.keyID == nil:
        ("\(name) signed in before DPoP was turned on", "dpop_switched")
      case (_?, true): ("the key for the tokens of \(name) is missing", "dpop_key_missing")
      case (_?, false): ("\(name) signed in before DPoP was turned off", "dpop_switched")
      case (nil, _): ("\(name) has no refresh token", .noRefreshToken)
      }
    return AuthenticationError(.interactionRequired, what + "; sign in again", reason: reason)
  }

  /// The stored access token as a result, if it need not be refreshed.
  func currentResult(for request: ResolvedRequest, in document: TokenCacheDocument) throws(AuthenticationError)
    -> TokenResult?
  {
    if document.isSignedOut(accountKey) { throw AuthenticationError.signedOut(account) }
    guard request.acceptsStoredToken else { return nil }
    return result(for: request, in: document, validity: requiredValidity(for: request), beforeRefreshTime: true)
  }

  /// The stored access token as a result, with a valid ID token if that is required.
  func result(
    for request: ResolvedRequest,
    in document: TokenCacheDocument,
    validity: RequiredValidity,
    beforeRefreshTime: Bool = false
  ) -> TokenResult? {
    guard let token = accessToken(in: document, scopes: request.scopes, validity: validity),
      token.secret != request.rejectedToken
    else { return nil }
    if beforeRefreshTime, let refreshOn = token.refreshOn, refreshOn <= context.now { return nil }
    let result = result(token, for: request, in: document)
    return hasRequiredIDToken(result, for: request, validity: validity) ? result : nil
  }

  /// The result of a stored token.
  func result(_ token: AccessTokenEntry, for request: ResolvedRequest, in document: TokenCacheDocument) -> TokenResult {
    let (idToken, key) = (idToken(in: document), key(token.keyID, in: document))
    var account = account
    account.realm = authority.issuerPath
    if let claims = idToken.flatMap({ try? IDToken.unverifiedClaims($0) }) { account.claims = claims.all }
    var result = TokenResult(token, idToken: idToken, account: account, at: authority, key: key)
    (result.correlationID, result.isFromCache) = (request.correlationID ?? "", true)
    return result
  }

  /// Whether the result's ID token stays valid long enough, if the request requires one.
  func hasRequiredIDToken(
    _ result: TokenResult,
    for request: ResolvedRequest,
    validity: RequiredValidity = .seconds(0)
  ) -> Bool {
    guard request.requiresIDToken else { return true }
    let claims = IDTokenClaims(result.idTokenClaims)
    guard let expiresAt = claims.expiresAt else { return false }
    return validity.isMet(expiresOn: expiresAt, cachedAt: claims.issuedAt ?? 0, now: context.now)
  }

  func requiredValidity(for request: ResolvedRequest) -> RequiredValidity {
    request.minimumValidity.map { .seconds($0.secondsRoundedUp) } ?? context.configuration.requiredValidity
  }
}

extension ClientConfiguration {
  /// How long a stored token must stay valid by default: at most half its lifetime, unless the buffer was extended.
  var requiredValidity: RequiredValidity {
    // Clamped, since an application can set any value.
    let seconds = min(max(tokenExpirationBuffer, .zero), TokenParameters.maximumValidity).secondsRoundedUp
    return tokenExpirationBuffer > Self.defaultExpirationBuffer ? .seconds(seconds) : .secondsOrHalfLife(seconds)
  }
}

extension Authority {
  /// Whether it names a Microsoft tenant by its domain, so that only the metadata has the ID.
  var namesTenantByDomain: Bool { isMicrosoft && !isTenantless && !namesTenantByID }

  /// An account's home tenant instead of `common`, as in MSAL.
  func home(of identifier: String) -> Authority {
    guard isTenantless, let tenant = Account.homeTenant(in: identifier) else { return self }
    return (try? inTenant(tenant)) ?? self
  }
}
