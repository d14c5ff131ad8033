/// Finds one account's tokens in the cache, as one authority and client see it.
struct TokenLookup: Sendable {
  let context: Context
  /// The authority that gives the account's tokens.
  let authority: Authority
  let account: Account
  /// The identifier of the authority's tenant, where the authority has its domain's name and its metadata are known.
  var tenantID: String?

  init(context: Context, authority: Authority, account: Account) async {
    self.context = context
    self.authority = CloudPolicy(context.configuration).authority(authority, of: account)
    self.account = account
    if self.authority.namesTenantByDomain {
      tenantID = await context.dependencies.keptMetadata(of: self.authority)?.tenantID
    }
  }

  /// The authority to refresh at: `common` and its like give way to the account's home tenant, as in MSAL.
  var homeAuthority: Authority {
    guard authority.isTenantless, let tenant = homeTenant else { return authority }
    return authority.inTenant(tenant)
  }

  /// The best stored access token.
  func accessToken(in document: TokenCacheDocument, scopes: [String], validity: RequiredValidity) -> AccessTokenEntry? {
    let token = document.accessToken(
      matching: queryInRealms,
      scopes: (try? Scopes(scopes))?.namedByToken(ignoringCase: authority.ignoresScopeCase) ?? scopes,
      validity: validity,
      now: context.now,
      isBound: context.configuration.usesDPoP
    )
    return token.flatMap { isUsable($0.keyID, in: document) ? $0 : nil }
  }

  /// The usable refresh tokens, newest first.
  func refreshTokens(in document: TokenCacheDocument) -> [RefreshTokenEntry] {
    document.refreshTokens(matching: query).filter { isUsable($0.keyID, in: document) }
  }

  /// When a token of the account was last stored here.
  func lastUse(in document: TokenCacheDocument) -> UnixTime { document.lastUse(matching: query) }

  /// The scopes if the caller names none: those of the sign-in, not of the token stored last.
  func signInScopes(in document: TokenCacheDocument) -> [String] {
    authority.kind == .oidc ? refreshTokens(in: document).first?.scopes ?? [] : []
  }

  /// What a refresh may request at a plain provider (RFC 6749 §6); Microsoft's tokens serve other resources too.
  func granted(_ token: RefreshTokenEntry) -> Scopes? {
    authority.kind != .oidc || token.scopes.isEmpty ? nil : try? Scopes(token.scopes)
  }

  /// Whether a refresh may ask for these scopes.
  func grants(_ asked: [String], _ token: RefreshTokenEntry) -> Bool {
    guard let granted = granted(token), let asked = try? Scopes(asked) else { return true }
    return asked.withoutReserved().subtracting(granted).isEmpty
  }

  /// The newest ID token, for its claims and as a hint at sign-out.
  func idToken(in document: TokenCacheDocument) -> Secret? {
    document.idToken(matching: queryInRealms)
  }

  /// The stored ID token's claims, or what stands in for them: another library may have stored none.
  func knownClaims(in document: TokenCacheDocument) -> IDTokenClaims {
    if let claims = idToken(in: document).flatMap({ try? IDToken.unverifiedClaims($0) }) { return claims }
    var claims: JSONValue.Object = ["preferred_username": .string(account.username)]
    // A guest's token is of the tenant that was asked, not of the home tenant.
    if authority.isMicrosoft, let tenant = authority.isTenantless ? homeTenant : tenantID {
      claims["tid"] = .string(tenant)
    }
    return IDTokenClaims(claims)
  }

  /// A stored token as a result.
  func result(_ token: AccessTokenEntry, in document: TokenCacheDocument, correlationID: String) -> TokenResult {
    let idToken = idToken(in: document)
    var account = account
    account.realm = authority.issuerPath
    if let claims = idToken.flatMap({ try? IDToken.unverifiedClaims($0) }) {
      account.claims = claims.all
    }
    return TokenResult(
      token,
      idToken: idToken,
      account: account,
      authority: authority,
      key: key(token.keyID, in: document),
      correlationID: correlationID,
      isFromCache: true
    )
  }

  /// The account's entries of this client at this authority.
  private var query: CacheQuery {
    var query = CacheQuery(authority).with(account: account.identifier)
    query.clientID = context.clientID
    return query
  }

  /// The same under the authority's realms.
  private var queryInRealms: CacheQuery {
    var query = query
    query.realms = realms
    return query
  }

  /// The realms of this authority's tokens: its own, the account's home tenant (.NET, Node), the ID of a named tenant.
  private var realms: [String] {
    var realms = [authority.realm(tenantID: nil)]
    guard authority.isMicrosoft else { return realms }
    if authority.isTenantless {
      if let homeTenant { realms.append(homeTenant) }
    } else if authority.namesTenantByDomain, let tenantID {
      realms.append(tenantID)
    }
    return realms
  }

  /// The second half of Microsoft's `<uid>.<utid>`.
  private var homeTenant: String? {
    guard authority.isMicrosoft, let point = account.identifier.lastIndex(of: ".") else { return nil }
    let tenant = account.identifier[account.identifier.index(after: point)...]
    return tenant.isEmpty ? nil : String(tenant)
  }
}

// MARK: - Key binding

extension TokenLookup {
  /// The key that a stored token is bound to.
  func key(_ keyID: String?, in document: TokenCacheDocument) -> DPoPKey? {
    guard context.configuration.usesDPoP, let keyID else { return nil }
    return document.bindingKey(keyID, of: context.clientID).flatMap(DPoPKey.init)
  }

  /// Whether a token can be used here: with DPoP one whose key is at hand and no other, without it one that needs none.
  func isUsable(_ keyID: String?, in document: TokenCacheDocument) -> Bool {
    context.configuration.usesDPoP ? key(keyID, in: document) != nil : keyID == nil
  }

  /// Why no refresh token of the account can be used here.
  func refusalOfAll(in document: TokenCacheDocument) -> AuthenticationError {
    let name = account.username.printable()
    let unusable = refreshTokens(in: document).isEmpty ? document.refreshTokens(matching: query).first : nil
    let (what, reason, hint): (String, AuthenticationError.Reason, Hint?) =
      switch (unusable, context.configuration.usesDPoP) {
      case (let token?, true) where token.keyID == nil:
        ("\(name) signed in without DPoP, which is switched on now", "dpop_switched", nil)
      case (_?, true): ("the key that the tokens of \(name) are bound to is gone", "dpop_key_missing", nil)
      case (_?, false): ("\(name) signed in with DPoP, which is switched off now", "dpop_switched", nil)
      case (nil, _): ("\(name) has no refresh token", .noRefreshToken, .signIn)
      }
    return AuthenticationError(.interactionRequired, what + ", so a person has to sign in", reason: reason, hint: hint)
  }
}

extension Authority {
  /// Whether it names one tenant of Microsoft's by a domain, so that its metadata alone say the identifier.
  fileprivate var namesTenantByDomain: Bool { isMicrosoft && !isTenantless && !namesTenantByID }
}
