import Core
import OAuth
import TokenCache

extension Provider {
  /// Ends a sign-in: validates the response, and saves the account with its tokens.
  ///
  /// `askedAuthority` is the one that the user was sent to, if another cloud answered.
  func save(
    _ response: TokenResponse,
    asked: Scopes,
    nonce: Secret?,
    issuer: String? = nil,
    maxAge: Int64? = nil,
    resource: String? = nil,
    askedAuthority: Authority? = nil
  ) async throws -> TokenResult {
    guard let idToken = response.idToken else { throw AuthenticationError.noIDToken }
    let validated = try await validate(idToken, beside: response.accessToken, nonce: nonce, maxAge: maxAge)
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
      claims = try await completing(validated, with: response.accessToken)
    }
    let received = ValidatedTokens(
      response,
      idToken: idToken,
      claims: claims,
      from: self,
      asked: asked,
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
    return try received.fullResult()
  }
}
