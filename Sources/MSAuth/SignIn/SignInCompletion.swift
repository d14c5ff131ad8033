/// Makes the store ready for a sign-in, the one step that may replace a damaged one.
struct StorePreparation: Sendable {
  let context: Context

  /// Chooses the store, sets a cache aside that is not readable as one, and makes sure that the store can be written.
  func run() async throws -> String? {
    let store = try await context.store.settled()
    // What cannot be read at all is reported without a lock.
    _ = try await damage()
    let lock = try await store.locked()
    try await lock.whileHeld {
      if let damage = try await damage() { try await setAside(damage, in: store, holding: lock) }
      try await store.checkWritable(holding: lock)
    }
    return context.store.notice
  }

  private func setAside(
    _ damage: Failure,
    in store: any TokenCacheStore,
    holding lock: TokenCacheLock
  ) async throws {
    guard let place = try await store.setAside(holding: lock) else { return }
    context.configuration.log(.warning, "\(person: damage.message); it was set aside as \(person: place)")
  }

  private func damage() async throws -> Failure? {
    do throws(Failure) {
      _ = try await context.store.load()
      return nil
    } catch {
      guard [.damaged, .tooLarge].contains(error.reason) else { throw error }
      return error
    }
  }
}

extension Provider {
  /// Validates the response and saves the account; `askedAuthority` differs if another cloud answered.
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
      // Whose session it is stays unknown; it is found by the resource.
      let claims: JSONValue.Object = ["sub": .string(resource.url), "preferred_username": .string(resource.url)]
      let received = ValidatedTokens(response, idToken: nil, claims: IDTokenClaims(claims), from: self, asked: asked)
      return try await store(received, askedAuthority: authority)
    }
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
    return try await store(received, askedAuthority: askedAuthority ?? authority)
  }

  private func store(_ received: ValidatedTokens, askedAuthority: Authority) async throws -> TokenResult {
    let rule = SingleAccount(context: context)
    try await context.store.settled().change { document in
      if authority.resource == nil { try rule.admit(received.owner, to: document) }
      try received.store(in: &document, createsAccount: true)
      let (id, clientID) = (received.homeAccountID, context.clientID)
      document.clearSignedOut(homeAccountID: id, at: authority.issuer, clientID: clientID)
      document.setRefused([], homeAccountID: id, at: authority.issuer, clientID: clientID)
      CurrentAccountRecord(context: context, authority: askedAuthority).remember(
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
