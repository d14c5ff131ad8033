import FoundationEssentials
import MSAuthTransport

/// A provider's endpoints, and how this client uses them.
struct Provider: Sendable {
  let context: Context
  let authority: Authority
  let metadata: ProviderMetadata
  /// The ID that requests to Microsoft carry (`client-request-id`).
  let correlationID: String
  /// The key that tokens are bound to; nil for bearer tokens.
  var key: DPoPKey?

  init(_ context: Context, at authority: Authority, metadata: ProviderMetadata, correlationID: String? = nil) {
    self.context = context
    self.authority = authority
    self.metadata = metadata
    self.correlationID = correlationID ?? UUID().uuidString.lowercased()
  }

  init(_ context: Context, at authority: Authority, correlationID: String?) async throws {
    let metadata = try await context.dependencies.metadata(of: authority)
    self.init(context, at: authority, metadata: metadata, correlationID: correlationID)
  }

  /// The provider of a sign-in, with the client's key there or a new one.
  init(forSignIn parameters: TokenParameters, _ context: Context) async throws {
    let authority = parameters.authority ?? context.configuration.authority
    try context.configuration.checkDPoP(at: authority)
    try await self.init(context, at: authority, correlationID: parameters.correlationID)
    if context.configuration.usesDPoP { key = try await keyForSignIn() }
  }

  var clientID: String { context.clientID }

  /// The correlation ID, if the provider understands it.
  var sentCorrelationID: String? { authority.isMicrosoft ? correlationID : nil }

  /// How the client authenticates: with its secret at the configured provider alone, which issued it.
  var authentication: ClientAuthentication {
    let isConfigured = authority.isOfSameProvider(as: context.configuration.authority)
    let secret = isConfigured ? context.configuration.clientSecret : nil
    return ClientAuthentication(secret: secret.map { Secret($0) }, metadata: metadata)
  }

  /// Posts a form, with a proof if the tokens are bound to a key.
  func post(_ form: FormRequest, isRepeatable: Bool = true) async throws -> HTTPResponse {
    try await context.dependencies.post(form, provenBy: key, isRepeatable: isRepeatable)
  }
}

// MARK: - Authorization request

extension Provider {
  /// The address to open in the browser; pushed requests (RFC 9126) stay out of its history.
  func address(of request: AuthorizationRequest) async throws -> String {
    if let pushed = try await push(request) { return try request.url(metadata: metadata, pushed: pushed) }
    return try request.url(metadata: metadata)
  }

  private func push(_ request: AuthorizationRequest) async throws -> PushedAuthorizationResponse? {
    guard let endpoint = metadata.pushedAuthorizationRequestEndpoint else { return nil }
    let form = try request.pushedForm(to: endpoint, authority: authority, authentication: authentication)
    do {
      let response = try await post(form)
      return try PushedAuthorizationResponse(
        parsing: response.body,
        status: response.status,
        retryAfter: context.dependencies.retryAfter(response)
      )
    } catch  where !metadata.requirePushedAuthorizationRequests && Self.mayBeIgnored(error) {
      return nil
    }
  }

  /// Whether the provider may accept the same request in the address: the error isn't about the request.
  private static func mayBeIgnored(_ error: any Error) -> Bool {
    switch error {
    case let error as ProviderError: ["invalid_client", "unauthorized_client"].contains(error.error)
    case let error as Failure:
      error.code == .providerUnreachable || ["invalid_response", "unexpected_page"].contains(error.reason)
    default: false
    }
  }
}

// MARK: - Tokens

extension Provider {
  /// Exchanges a code or a refresh token for tokens (RFC 6749 §3.2).
  func tokens(for request: TokenRequest, requesting scopes: Scopes) async throws -> TokenResponse {
    var request = request
    request.authentication = authentication
    do {
      return try await send(request, requesting: scopes)
    } catch let refusal as ProviderError where requiresAnySecret(refusal, of: request) {
      request.authentication = ClientAuthentication(secret: Secret(request.clientID), metadata: metadata)
      return try await send(request, requesting: scopes)
    }
  }

  /// Whether any secret may be accepted; oidc-provider-mock does so without listing the method `none`.
  private func requiresAnySecret(_ refusal: ProviderError, of request: TokenRequest) -> Bool {
    refusal.error == "invalid_client" && request.authentication == .none && request.authority.kind == .oidc
      && !metadata.tokenEndpointAuthMethods.contains("none")
  }

  private func send(_ request: TokenRequest, requesting scopes: Scopes) async throws -> TokenResponse {
    let isRefresh = if case .refreshToken = request.grant { true } else { false }
    // A failing server may have consumed the code or the refresh token. A second request with it makes a provider revoke
    // what it issued (RFC 6749 §4.1.2, RFC 9700 §4.14.2). Microsoft's refresh tokens aren't used up.
    let isRepeatable =
      switch request.grant {
      case .authorizationCode: false
      case .refreshToken: request.authority.kind != .oidc
      case .deviceCode: true
      }
    let response = try await post(try request.form(to: metadata.tokenEndpoint), isRepeatable: isRepeatable)
    let tokens = try TokenResponse(
      parsing: response.body,
      status: response.status,
      mediaType: response.mediaType,
      retryAfter: context.dependencies.retryAfter(response),
      type: key == nil ? .bearer : .dpop,
      requestedScopes: scopes,
      isRefresh: isRefresh,
      now: context.now
    )
    if !tokens.leftOut.isEmpty {
      let names = tokens.leftOut.joined(separator: ", ")
      context.configuration.log(.warning, "the provider's response has no usable \(user: names); the rest is used")
    }
    return tokens
  }

  /// Adds the userinfo endpoint's claims if the ID token doesn't name the user (OpenID Connect Core §5.4).
  func completing(_ claims: IDTokenClaims, with accessToken: Secret) async throws -> IDTokenClaims {
    guard claims.claimedUsername == nil, let endpoint = metadata.userinfoEndpoint, let subject = claims.subject,
      // Only a name is missing, so a missing response doesn't end the sign-in; one for another subject does.
      let response = try? await context.dependencies.ask(.get, endpoint, showing: accessToken, boundTo: key)
    else { return claims }
    do {
      let (body, status, mediaType) = (response.body, response.status, response.mediaType)
      let info = try UserInfo(parsing: body, status: status, mediaType: mediaType, about: subject)
      return IDTokenClaims(info.claims.all.merging(claims.all))
    } catch let error as Failure where error == .userInfoSubject {
      throw error
    } catch {
      return claims
    }
  }
}
