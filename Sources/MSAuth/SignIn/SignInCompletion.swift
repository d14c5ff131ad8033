extension Context {
  /// Chooses the store for a sign-in, sets a damaged cache aside, and checks that the store can be written.
  func prepareStore() async throws {
    let store = try await store.settled()
    // An unreadable store is reported without taking the lock.
    _ = try await storeDamage()
    let lock = try await store.locked()
    try await lock.whileHeld {
      if let damage = try await storeDamage(), let place = try await store.setAside(holding: lock) {
        configuration.log(.warning, "\(user: damage.message); it was set aside as \(user: place)")
      }
      try await store.checkWritable(holding: lock)
    }
  }

  private func storeDamage() async throws -> Failure? {
    do throws(Failure) {
      _ = try await store.load()
      return nil
    } catch {
      guard [.damaged, .tooLarge].contains(error.reason) else { throw error }
      return error
    }
  }
}

extension Provider {
  /// Validates the response and saves the account; `askedAuthority` differs if another cloud issued the tokens.
  func save(
    _ response: TokenResponse,
    asked: Scopes,
    nonce: Secret?,
    issuer: String? = nil,
    maxAge: Int64? = nil,
    resource: String? = nil,
    askedAuthority: Authority? = nil
  ) async throws -> TokenResult {
    if let resource = authority.resource {
      // The user stays unknown; the session is found by the resource.
      let claims: JSONValue.Object = ["sub": .string(resource.url), "preferred_username": .string(resource.url)]
      let received = ValidatedTokens(response, idToken: nil, claims: IDTokenClaims(claims), from: self, asked: asked)
      return try await store(received, askedAuthority: authority)
    }
    guard let idToken = response.idToken else { throw AuthenticationError.noIDToken }
    let validated = try await validate(idToken, beside: response.accessToken, nonce: nonce, maxAge: maxAge)
    if let issuer, validated.issuer?.isIdentical(to: issuer) != true {
      let message = "the redirect came from \(issuer.printable(limit: 200)), and the ID token from another issuer"
      throw AuthenticationError(.invalidResponse, message, reason: "iss_mismatch")
    }
    var claims = validated
    // OpenID Connect Core §5.3.1: a token with the scope `openid`. The userinfo endpoint must not get another API's token.
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
    return try await store(received, askedAuthority: askedAuthority ?? authority)
  }

  private func store(_ received: ValidatedTokens, askedAuthority: Authority) async throws -> TokenResult {
    let rule = SingleAccount(context: context)
    try await context.store.settled().change { document in
      if authority.resource == nil { try rule.admit(received.owner, to: document) }
      try received.store(in: &document, createsAccount: true)
      let (id, issuer, redirectURI) = (received.owner.identifier, authority.issuer, context.configuration.redirectURI)
      // The sign-out redirects to the same URI, which is registered.
      document.recordSignIn(homeAccountID: id, at: issuer, clientID: clientID, redirectURI: redirectURI)
      CurrentAccountRecord(context: context, authority: askedAuthority).remember(received.owner, in: &document)
      document.clearThrottled()
    }
    return try received.fullResult()
  }
}
