import OAuth
import Core
import TokenCache

/// The end of every sign-in: a grant becomes tokens, the ID token is validated, the account saved.
struct SignInCompletion: Sendable {
  let context: Context
  var authority: Authority
  /// The authority that the person was sent to, if another cloud answered; else it is `authority`.
  var askedAuthority: Authority?
  var metadata: ProviderMetadata
  let correlationID: String
  /// The key that the tokens are bound to; nil for bearer tokens.
  var key: DPoPKey?

  /// Who asks whom.
  var origin: RequestOrigin { context.origin(at: authority, correlationID: correlationID) }

  /// Exchanges a grant.
  func exchange(_ request: TokenRequest, requesting scopes: Scopes) async throws -> TokenResponse {
    try await TokenEndpoint(context: context, metadata: metadata, key: key).tokens(for: request, requesting: scopes)
  }

  /// Validates the response and saves the account with its tokens.
  func save(
    _ response: TokenResponse,
    asked: Scopes,
    nonce: Secret?,
    issuer: String? = nil,
    maxAge: Int64? = nil,
    resource: String? = nil
  ) async throws -> TokenResult {
    guard let idToken = response.idToken else { throw AuthenticationError.noIDToken }
    let check = IDTokenCheck(
      dependencies: context.dependencies,
      metadata: metadata,
      clientID: context.configuration.clientID
    )
    let validated = try await check.validate(
      idToken,
      beside: response.accessToken,
      nonce: nonce,
      maxAge: maxAge
    )
    if let issuer, validated.issuer?.isIdentical(to: issuer) != true {
      throw AuthenticationError(
        .invalidResponse,
        "the redirect came from \(issuer.printable(limit: 200)), and the ID token from another issuer",
        reason: "iss_mismatch"
      )
    }
    var claims = validated
    // OpenID Connect Core §5.3.1: a token that was given for `openid`. One for another API is not shown there.
    if resource == nil, response.scopes.contains("openid", ignoringCase: authority.ignoresScopeCase) {
      claims = try await UserInfoEndpoint(dependencies: context.dependencies, metadata: metadata, key: key)
        .completing(validated, with: response.accessToken)
    }
    let received = ValidatedTokens(
      response: response,
      idToken: idToken,
      claims: claims,
      authority: authority,
      clientID: context.configuration.clientID,
      now: context.dependencies.clock.now(),
      asked: asked,
      key: key,
      resource: resource
    )
    let rule = SingleAccount(context: context)
    try await context.dependencies.store.settled().change { document in
      try rule.admit(received.owner, to: document)
      try received.store(in: &document, createsAccount: true)
      let (id, clientID) = (received.homeAccountID, context.configuration.clientID)
      document.clearSignedOut(homeAccountID: id, at: authority.issuer, clientID: clientID)
      document.setRefused([], homeAccountID: id, at: authority.issuer, clientID: clientID)
      CurrentAccountRecord(context: context, authority: askedAuthority ?? authority).remember(
        received.owner,
        in: &document
      )
      // Its sign-out comes back to the same place, which is registered.
      document.setRedirectURI(
        context.configuration.redirectURI,
        homeAccountID: id,
        at: authority.issuer,
        clientID: clientID
      )
      document.clearThrottled()
    }
    return try received.fullResult(correlationID: correlationID)
  }
}
