import JOSE
import OAuth
import Core
import TokenCache

/// A validated token response, on its way into the store and to the caller.
struct ValidatedTokens: Sendable {
  let response: TokenResponse
  /// The response's ID token; nil where there is none, or it is not believed.
  let idToken: Secret?
  /// What the ID token says, or what is known of the account without one.
  let claims: IDTokenClaims
  let authority: Authority
  let clientID: String
  let now: UnixTime
  /// What the caller asked for.
  let asked: Scopes
  /// The refresh token that was sent; nil after a sign-in.
  var refreshedBy: RefreshTokenEntry?
  /// Whose tokens are refreshed; nil after a sign-in, where the response says whose they are.
  var account: Account?
  /// The key that they are bound to; nil for bearer tokens.
  var key: DPoPKey?
  /// The API that the access token is for, if one was named (RFC 8707).
  ///
  /// Such a token isn't stored, since callers who name none would get it.
  var resource: String?
  /// What was unusual about the ID token, for the log.
  var remarks: [TokenRefusal] = []

  /// What was granted of it.
  var granted: GrantedScopes {
    GrantedScopes(asked: asked, granted: response.scopes, ignoringCase: authority.ignoresScopeCase)
  }

  /// `<uid>.<utid>` from Microsoft's client info; elsewhere the subject, as MSAL Python does.
  var homeAccountID: String { account?.identifier ?? receivedAccountID ?? claims.subject ?? "" }

  /// What to call the person; a provider may send it at the sign-in alone.
  private var username: String {
    guard let account, claims.personName == nil, !account.username.isEmpty else { return claims.username }
    return account.username
  }

  private var receivedAccountID: String? {
    response.clientInfo.flatMap { try? ClientInfo(parsing: $0) }?.homeAccountID
  }

  /// Whose tokens they are.
  var owner: Account {
    Account(
      identifier: homeAccountID,
      username: username,
      environment: authority.environment,
      realm: authority.issuerPath,
      claims: claims.all
    )
  }

  /// Writes all that the response brought into the cache document.
  func store(in document: inout TokenCacheDocument, createsAccount: Bool) throws {
    if let key { document.keep(try key.entry(for: authority), of: clientID) }
    document.store(grant, environmentAliases: authority.environmentAliases, createsAccount: createsAccount)
  }

  /// The result, once it is stored.
  func fullResult(correlationID: String) throws -> TokenResult {
    let result = TokenResult(
      accessToken,
      idToken: idToken,
      account: owner,
      authority: authority,
      key: key,
      correlationID: correlationID,
      isFromCache: false
    )
    guard granted.declined.isEmpty else {
      throw AuthenticationError(declined: granted.declined, of: result)
    }
    return result
  }

  /// The response as the cache holds it.
  private var grant: TokenGrant {
    TokenGrant(
      account: AccountEntry(
        homeAccountID: homeAccountID,
        environment: authority.environment,
        realm: realm,
        localAccountID: claims.objectID ?? claims.subject ?? "",
        username: username,
        authorityType: authority.cacheAuthorityType,
        name: claims.name
      ),
      clientID: clientID,
      accessToken: accessToken,
      keepsAccessToken: resource == nil,
      refreshToken: refreshToken,
      idToken: idToken,
      clientInfo: response.clientInfo
    )
  }

  private var accessToken: AccessTokenEntry {
    AccessTokenEntry(
      secret: response.accessToken,
      realm: realm,
      scopes: granted.effective.names,
      tokenType: response.type.rawValue,
      cachedAt: now,
      expiresOn: response.expiresOn,
      extendedExpiresOn: response.extendedExpiresOn,
      refreshOn: response.refreshOn,
      keyID: key?.thumbprint
    )
  }

  private var refreshToken: RefreshTokenEntry? {
    response.refreshToken.map { secret in
      RefreshTokenEntry(
        secret: secret,
        scopes: granted.effective.names + (refreshedBy?.scopes ?? []),
        familyID: response.familyID,
        lastModified: now,
        keyID: key?.thumbprint
      )
    }
  }

  /// Where tokens of this response belong: the ID token's tenant with Microsoft, else the issuer's path.
  private var realm: String { authority.realm(tenantID: claims.tenantID) }
}

extension ValidatedTokens {
  /// Validates that the response to a refresh is of the same account.
  init(
    refreshed response: TokenResponse,
    by token: RefreshTokenEntry,
    boundTo key: DPoPKey?,
    lookup: TokenLookup,
    asked: [String],
    resource: String?,
    metadata: ProviderMetadata,
    keys: JSONWebKeySet,
    document: TokenCacheDocument
  ) async throws {
    let (dependencies, clientID) = (lookup.context.dependencies, lookup.context.configuration.clientID)
    var claims = lookup.knownClaims(in: document)
    var idToken = response.idToken
    var remarks: [TokenRefusal] = []
    if let received = response.idToken {
      let check = IDTokenCheck(dependencies: dependencies, metadata: metadata, clientID: clientID)
      switch try await check.validateRefreshed(received, beside: response.accessToken, after: claims, keys: keys) {
      case .accepted(let refreshed, let differences): (claims, remarks) = (refreshed, differences)
      case .dropped(let error): (idToken, remarks) = (nil, [error])
      }
    }
    self.init(
      response: response,
      idToken: idToken,
      claims: claims,
      authority: lookup.homeAuthority,
      clientID: clientID,
      now: dependencies.clock.now(),
      asked: (try? Scopes(asked)) ?? response.scopes,
      refreshedBy: token,
      account: lookup.account,
      key: key,
      resource: resource,
      remarks: remarks
    )
    try checkAccount()
  }

  /// Refuses tokens of somebody else than was asked for (MSAL: `mismatchedUser`).
  private func checkAccount() throws {
    // Entra's subjects differ from application to application; only its client info names the account. Elsewhere, letters'
    // case distinguishes subjects (OpenID Connect Core §2).
    guard let account, let received = receivedAccountID ?? (authority.isMicrosoft ? nil : claims.subject),
      authority.isMicrosoft
        ? received.lowercased() != account.identifier.lowercased() : !received.isIdentical(to: account.identifier)
    else { return }
    throw AuthenticationError(
      .invalidResponse,
      "the provider answered with tokens of another account than \(account.username.printable())",
      reason: .accountMismatch
    )
  }
}

extension Authority {
  /// The cache's realm of a token that this authority issued.
  func realm(tenantID: String?) -> String { issuerPath ?? tenantID ?? tenant ?? "" }

  /// What distinguishes its accounts and tokens from those of others on its host; nil for Microsoft.
  var issuer: Issuer? { issuerPath.map { Issuer(environment: environment, realm: $0) } }

  /// MSAL's word for the kind of authority.
  var cacheAuthorityType: String {
    switch kind {
    case .aad, .b2c, .ciam: "MSSTS"
    case .adfs: "ADFS"
    case .oidc: "Generic"
    }
  }
}
