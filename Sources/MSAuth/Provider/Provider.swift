import FoundationEssentials

func newCorrelationID() -> String { UUID().uuidString.lowercased() }

/// A provider's endpoints, and how this client uses them.
struct Provider: Sendable {
  let context: Context
  let authority: Authority
  let metadata: ProviderMetadata
  /// The ID that requests to Microsoft carry (`client-request-id`).
  let correlationID: String
  /// The key that tokens are bound to; `nil` for bearer tokens.
  var key: DPoPKey?

  init(_ context: Context, at authority: Authority, metadata: ProviderMetadata, correlationID: String? = nil) {
    self.context = context
    self.authority = authority
    self.metadata = metadata
    self.correlationID = correlationID ?? newCorrelationID()
  }

  init(_ context: Context, at authority: Authority, correlationID: String?) async throws(AuthenticationError) {
    let metadata = try await context.dependencies.metadata(of: authority)
    for flaw in metadata.ignoredMembers.values.sorted() {
      context.configuration.log(.info, "\(user: flaw); ignored")
    }
    self.init(context, at: authority, metadata: metadata, correlationID: correlationID)
  }

  var clientID: String { context.clientID }
  var dependencies: Dependencies { context.dependencies }

  /// The correlation ID, if the provider understands it.
  var sentCorrelationID: String? { authority.isMicrosoft ? correlationID : nil }

  /// This client; its secret is only for the configured provider, which issued it.
  var client: OAuthClient {
    let isConfigured = authority.isOfSameProvider(as: context.configuration.authority)
    let secret = isConfigured ? context.configuration.clientSecret.map { Secret($0) } : nil
    let method = context.configuration.clientAuthenticationMethod
    let authentication = ClientAuthentication(secret: secret, method: method, metadata: metadata)
    return OAuthClient(clientID, at: authority, authentication: authentication, correlationID: correlationID)
  }

  /// Adds a hint and the correlation ID to an error of the provider.
  func withProviderHint(_ error: AuthenticationError) -> AuthenticationError {
    guard let response = error.provider else { return error }
    var error = error
    if let hint = AADSTS.hint(for: response, authority: authority, clientID: clientID) { error.hint = hint }
    error.provider?.correlationID = response.correlationID ?? sentCorrelationID
    return error
  }

  /// Returns the URL to open, after pushing the request if possible (RFC 9126), so that no history contains it.
  func authorizationURL(pushing request: AuthorizationRequest) async throws(AuthenticationError) -> String {
    guard let endpoint = metadata.pushedAuthorizationRequestEndpoint else {
      return try request.url(metadata: metadata)
    }
    let form = try request.pushedForm(to: endpoint, from: client)
    do {
      let pushed = try await dependencies.post(form, provenBy: key, isRepeatable: true)
      return try request.url(metadata: metadata, pushed: pushed)
    } catch {
      guard !metadata.requirePushedAuthorizationRequests, Self.isAboutPushing(error) else { throw error }
      return try request.url(metadata: metadata)
    }
  }

  /// Whether the error is about the push alone, so that the provider may accept the same request in the address.
  private static func isAboutPushing(_ error: AuthenticationError) -> Bool {
    error.provider.map(\.meansUnknownClient)
      ?? (error.code == .providerUnreachable || ["invalid_response", "unexpected_page"].contains(error.reason))
  }

  /// Exchanges a code or a refresh token for tokens (RFC 6749 §3.2).
  func tokens(for request: TokenRequest, requesting scopes: Scopes) async throws(AuthenticationError) -> TokenResponse {
    // A failing server may have consumed the code or the refresh token. A second request with it makes a provider revoke
    // what it issued (RFC 6749 §4.1.2, RFC 9700 §4.14.2). Microsoft's refresh tokens aren't used up. A device code is
    // polled anyway.
    let isRefresh = if case .refreshToken = request.grant { true } else { false }
    let form = try request.form(to: metadata.tokenEndpoint, from: client)
    let isRepeatable = isRefresh && authority.kind != .oidc
    let response = try await dependencies.post(
      form,
      provenBy: key,
      isRepeatable: isRepeatable,
      mustComplete: isRefresh && !isRepeatable
    )
    if isRefresh { try response.checkRefresh() }
    let type: TokenType = key == nil ? .bearer : .dpop
    var tokens = try TokenResponse(response, type: type, requestedScopes: scopes, now: context.now)
    if let flaw = tokens.flaw, !isRefresh { throw flaw }
    if !authority.subject.isAccount { tokens.idToken = nil }
    context.log(ignoredMembers: tokens.ignoredMembers)
    return tokens
  }

  /// Adds the userinfo endpoint's claims if the ID token doesn't name the user (OpenID Connect Core §5.4).
  func completing(_ claims: IDTokenClaims, with accessToken: Secret) async throws(AuthenticationError) -> IDTokenClaims
  {
    guard claims.claimedUsername == nil, let endpoint = metadata.userinfoEndpoint, let subject = claims.subject,
      // Only a name is missing, so a missing response doesn't end the sign-in; a response for another subject does.
      let response = try? await dependencies.send(.json(endpoint), with: accessToken, boundTo: key)
    else { return claims }
    do {
      let info = try IDTokenClaims(userInfo: dependencies.read(response), about: subject)
      // Treat an empty claim as absent.
      return IDTokenClaims(info.all.merging(claims.all.filter { $0.value != .null && $0.value != "" }))
    } catch {
      if error == .userInfoSubject { throw error }
      return claims
    }
  }
}
