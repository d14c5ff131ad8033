import FoundationEssentials
import OAuth
import Core

/// An authorization request that is under way, and the secrets that its response is validated with.
struct PendingAuthorization: Sendable {
  let authority: Authority
  let metadata: ProviderMetadata
  let scopes: Scopes
  let responseMode: ResponseMode
  let nonce: Secret
  let correlationID: String
  /// The key that the tokens are to be bound to; nil for bearer tokens.
  let key: DPoPKey?
  private let extraScopes: Scopes
  private let state: Secret
  private let pkce: PKCE
  private let parameters: InteractiveTokenParameters
  private let context: Context
  let prompt: Prompt?

  init(
    context: Context,
    parameters: InteractiveTokenParameters,
    authority: Authority,
    metadata: ProviderMetadata,
    prompt: Prompt?,
    key: DPoPKey?
  ) throws {
    self.authority = authority
    self.metadata = metadata
    self.context = context
    self.parameters = parameters
    self.prompt = prompt
    self.key = key
    do {
      self.scopes = try Scopes(parameters.scopes).forRequest(authority: authority, metadata: metadata)
      self.extraScopes = try Scopes(parameters.extraScopesToConsent)
    } catch {
      throw AuthenticationError(error, as: .invalidParameter)
    }
    if let mode = parameters.responseMode {
      self.responseMode = mode
    } else {
      // A form's body leaves no trace in history, logs or a copied address. Microsoft's works; others list it and then
      // encode a value twice, or answer an error in the query.
      self.responseMode = authority.isMicrosoft && metadata.supports(.formPost) ? .formPost : .query
    }
    let random = context.dependencies.random
    // 32 bytes each: 256 bits, what RFC 7636 §7.1 recommends for the verifier.
    self.state = Secret(Base64URL.encode(try random.bytes(32)))
    self.nonce = Secret(Base64URL.encode(try random.bytes(32)))
    self.pkce = PKCE(random: try random.bytes(32))
    self.correlationID = parameters.correlationID ?? UUID().uuidString.lowercased()
  }

  /// Who asks whom.
  var origin: RequestOrigin {
    context.origin(at: authority, correlationID: correlationID)
  }

  /// What a redirect must contain to be the response.
  var expectation: AuthorizationResponse.Expectation {
    AuthorizationResponse.Expectation(
      state: state,
      issuer: metadata.issuerRule,
      issRequired: metadata.authorizationResponseIssParameterSupported,
      isInstanceAware: isInstanceAware
    )
  }

  /// The address to open in the browser; where the provider takes the request itself beforehand, that is done first.
  func address(redirectURI: String) async throws -> String {
    let request = request(redirectURI: redirectURI)
    do {
      let endpoint = PushedRequestEndpoint(
        dependencies: context.dependencies,
        metadata: metadata,
        authority: authority,
        clientSecret: context.configuration.clientSecret,
        key: key
      )
      if let pushed = try await endpoint.push(request) { return try request.url(metadata: metadata, pushed: pushed) }
      return try request.url(metadata: metadata)
    } catch let error as OAuthError {
      throw AuthenticationError(error, as: .invalidParameter, of: origin)
    }
  }

  /// Whether Microsoft Entra may answer from another cloud; other providers know no clouds.
  private var isInstanceAware: Bool { context.configuration.multipleCloudsSupported && authority.kind == .aad }

  /// OpenID Connect Core §11: `offline_access` counts only with `prompt=consent`; without it, one provider refuses the
  /// request, and another gives no refresh token.
  private var asksForConsent: Bool {
    parameters.prompt == nil && authority.kind == .oidc && allScopes.contains("offline_access")
  }

  /// All that the person may be asked to consent to.
  var allScopes: Scopes { scopes.union(extraScopes) }

  private func request(redirectURI: String) -> AuthorizationRequest {
    var request = AuthorizationRequest(
      clientID: context.configuration.clientID,
      redirectURI: redirectURI,
      scopes: scopes,
      state: state,
      nonce: nonce,
      challenge: pkce.challenge,
      responseMode: responseMode
    )
    request.prompt = prompt
    request.asksForConsent = asksForConsent
    request.loginHint = parameters.account?.username ?? parameters.loginHint
    request.domainHint = parameters.domainHint
    request.maxAge = parameters.maxAge?.components.seconds
    request.acrValues = parameters.acrValues
    request.claims = parameters.claims
    request.resource = parameters.resource
    request.clientCapabilities = context.configuration.clientCapabilities
    request.extraQuery = parameters.extraQueryParameters
    request.instanceAware = isInstanceAware
    request.clientInfo = authority.isMicrosoft
    request.correlationID = authority.isMicrosoft ? correlationID : nil
    request.keyThumbprint = key?.thumbprint
    request.extraScopes = extraScopes
    return request
  }

  /// The request that turns the code into tokens.
  ///
  /// It asks for the same claims again: Microsoft Entra decides on the access token's here.
  func tokenRequest(
    code: Secret,
    at authority: Authority,
    redirectURI: String
  ) throws(OAuthError) -> TokenRequest {
    var request = TokenRequest(
      .authorizationCode(code: code, redirectURI: redirectURI, verifier: pkce.verifier),
      clientID: context.configuration.clientID,
      authority: authority,
      claims: try ClaimsParameter.merging(parameters.claims, capabilities: context.configuration.clientCapabilities),
      correlationID: correlationID,
      resource: parameters.resource
    )
    request.extraQuery = parameters.extraQueryParameters
    return request
  }
}
