import MSAuthJOSE

/// A validated token response, as the cache's entries, and the account they belong to.
struct ValidatedTokens: Sendable {
  private(set) var owner: Account
  /// Why the ID token of a refresh was dropped.
  var idTokenRejection: TokenRejection?
  private let provider: Provider
  private var grant: TokenGrant
  private let declined: Scopes
  var accessToken: AccessTokenEntry { grant.accessToken }

  /// Creates the entries; `known` is the account whose token was refreshed.
  init(
    _ response: TokenResponse,
    claims: IDTokenClaims,
    for request: ResolvedRequest,
    from provider: Provider,
    spending spent: RefreshTokenEntry? = nil,
    of known: Account? = nil,
    isFromBroker: Bool = false
  ) {
    let (authority, now) = (provider.authority, provider.context.now)
    let ignoringCase = authority.ignoresScopeCase
    let granted = GrantedScopes(requested: request.scopes, granted: response.scopes, ignoringCase: ignoringCase)
    // The ID token's tenant at Microsoft, else the issuer's path.
    let realm = authority.realm(tenantID: claims.tenantID)
    // A provider may send the name only at the sign-in.
    let keptName = claims.claimedUsername == nil ? known.flatMap { $0.username.isEmpty ? nil : $0.username } : nil
    var owner = Account(
      // `<uid>.<utid>` from Microsoft's client info; elsewhere the subject, as in MSAL Python.
      identifier: known?.identifier ?? response.accountID ?? claims.subject ?? "",
      username: keptName ?? claims.username,
      environment: authority.environment,
      realm: authority.issuerPath,
      claims: claims.all
    )
    owner.isFromBroker = isFromBroker || known?.isFromBroker == true
    self.owner = owner
    self.provider = provider
    // A resource reports missing scopes itself (RFC 6750 §3.1).
    declined = authority.subject.isAccount ? granted.declined : .none
    grant = TokenGrant(
      account: AccountEntry(
        homeAccountID: owner.identifier,
        environment: authority.environment,
        realm: realm,
        localAccountID: claims.objectID ?? claims.subject ?? "",
        username: owner.username,
        authorityType: authority.cacheAuthorityType,
        name: claims.name,
        isFromBroker: isFromBroker
      ),
      clientID: provider.clientID,
      accessToken: AccessTokenEntry(
        secret: response.accessToken,
        realm: realm,
        scopes: granted.effective.names,
        cachedAt: now,
        expiresOn: response.expiresOn,
        extendedExpiresOn: response.extendedExpiresOn,
        refreshOn: response.refreshOn,
        keyID: provider.key?.thumbprint
      ),
      // A request for another resource (RFC 8707) would find it.
      keepsAccessToken: request.resource == nil && response.flaw == nil,
      refreshToken: response.refreshToken.map { secret in
        RefreshTokenEntry(
          secret: secret,
          scopes: granted.effective.names + (spent?.scopes ?? []),
          familyID: response.familyID,
          lastModified: now,
          keyID: provider.key?.thumbprint
        )
      },
      idToken: response.idToken,
      clientInfo: response.clientInfo
    )
  }

  /// Uses the account's ID as the store has it, so that an account that another library stored isn't stored twice.
  mutating func adoptStoredID(from document: TokenCacheDocument) {
    let authority = provider.authority
    let stored = document.accounts(matching: CacheQuery(authority)).map(\.homeAccountID)
    guard !stored.contains(where: owner.identifier.isIdentical),
      let id = stored.first(where: { AccountID.areSame($0, owner.identifier, at: authority.issuer) })
    else { return }
    (owner.identifier, grant.account.homeAccountID) = (id, id)
  }

  func store(in document: inout TokenCacheDocument, createsAccount: Bool) throws(AuthenticationError) {
    let authority = provider.authority
    if let key = provider.key { document.keep(try key.entry(for: authority), of: provider.clientID) }
    document.store(grant, environmentAliases: authority.environmentAliases, createsAccount: createsAccount)
  }

  /// Returns the stored result, or throws `serverDeclinedScopes` with the result attached.
  func fullResult() throws(AuthenticationError) -> TokenResult {
    let (authority, key) = (provider.authority, provider.key)
    var result = TokenResult(accessToken, idToken: grant.idToken, account: owner, at: authority, key: key)
    result.correlationID = provider.correlationID
    guard declined.isEmpty else { throw AuthenticationError(declined: declined, of: result) }
    return result
  }
}

extension TokenResponse {
  /// The account in Microsoft's client info.
  var accountID: String? { clientInfo.flatMap { try? ClientInfo(parsing: $0) }?.homeAccountID }
}
