extension Provider {
  /// The provider of a sign-in, with the client's key there or a new one.
  init(forSignIn request: ResolvedRequest, _ context: Context) async throws(AuthenticationError) {
    try await self.init(context, at: request.authority, correlationID: request.correlationID)
    if context.configuration.usesDPoP { key = try await keyForSignIn() }
  }

  /// Validates the response and saves the account; the request's authority differs if another cloud issued the tokens.
  func save(
    _ response: TokenResponse,
    for request: ResolvedRequest,
    authorization: AuthorizationRequest?,
    issuer: String? = nil
  ) async throws(AuthenticationError) -> TokenResult {
    var claims: IDTokenClaims
    switch authority.subject {
    case .resource:
      // The session is found by the resource.
      let name: JSONValue = .string(authority.subject.name ?? "")
      claims = IDTokenClaims(["sub": name, "preferred_username": name])
    case .account:
      // A response to the scope `openid` must have an ID token (OpenID Connect Core §3.1.3.3).
      guard let idToken = response.idToken else {
        let message = "the provider sent no ID token although the scope openid was requested"
        throw AuthenticationError(.invalidResponse, message, reason: "id_token_missing")
      }
      claims = try await validate(idToken, beside: response.accessToken, authorization)
      if let issuer, claims.issuer?.isIdentical(to: issuer) != true {
        let message = "the redirect came from \(issuer.printable(limit: 200)), and the ID token from another issuer"
        throw AuthenticationError(.invalidResponse, message, reason: "iss_mismatch")
      }
      // OpenID Connect Core §5.3.1: a token with the scope `openid`. The userinfo endpoint must not get another API's token.
      if request.resource == nil, response.scopes.contains("openid", ignoringCase: authority.ignoresScopeCase) {
        claims = try await completing(claims, with: response.accessToken)
      }
    }
    return try await save(ValidatedTokens(response, claims: claims, for: request, from: self), for: request)
  }

  /// Stores the tokens of a sign-in, and makes their account the current one, unless another one was expected.
  func save(_ tokens: ValidatedTokens, for request: ResolvedRequest) async throws(AuthenticationError) -> TokenResult {
    let list = await AccountList(context: context, authority: request.authority)
    var tokens = tokens
    let isExpected = request.expected?.matches(tokens.owner) ?? true
    try await context.store.writable().change { document in
      tokens.adoptStoredID(from: document)
      try SingleAccount(context: context, authority: authority).admit(tokens.owner, to: document)
      try tokens.store(in: &document, createsAccount: true)
      let key = AccountKey(issuer: authority.issuer, clientID: clientID, homeAccountID: tokens.owner.identifier)
      // The sign-out redirects to the same URI, which is registered.
      document.recordSignIn(key, redirectURI: context.configuration.redirectURI)
      // Also for the current account, since its time tells waiting processes that a sign-in was completed.
      let current = isExpected ? nil : list.current(in: document)
      list.remember(current ?? tokens.owner, in: &document)
      document.clearThrottled()
      if isExpected { request.onSave?(&document) }
    }
    if let notice = context.store.notice { context.configuration.log(.warning, "\(user: notice)") }
    // The browser may have used the account that it was signed in with; as that sign-in succeeded, it is kept.
    if let expected = request.expected, !isExpected {
      throw AuthenticationError(other: tokens.owner, insteadOf: expected.name)
    }
    return try tokens.fullResult()
  }
}
