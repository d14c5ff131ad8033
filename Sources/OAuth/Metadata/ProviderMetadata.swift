package import Core

/// What a provider says of itself (OpenID Connect Discovery §3, RFC 8414 §2), checked.
package struct ProviderMetadata: Sendable, Equatable {
  /// Entra's document has 2 KB, the largest public ones some 20.
  package static let bodyLimit = 256 * 1024

  /// The whole document, so that it can be cached and read again with the same checks.
  package let json: JSON.Object
  /// Which issuer ID tokens and redirects must name.
  package let issuerRule: IssuerRule
  /// The tenant's ID, where Microsoft's issuer names it: what a tenant's domain name stands for.
  package let tenantID: String?
  package let authorizationEndpoint: String
  package let tokenEndpoint: String
  package let jwksURI: String
  package let endSessionEndpoint: String?
  package let revocationEndpoint: String?
  package let userinfoEndpoint: String?
  package let deviceAuthorizationEndpoint: String?
  package let pushedAuthorizationRequestEndpoint: String?
  /// The optional endpoints that can't be used, with the reason: they don't prevent a sign-in that doesn't need them.
  package let unusableEndpoints: [String: String]
  /// Whether authorization requests must be pushed first (RFC 9126 §5).
  package let requirePushedAuthorizationRequests: Bool
  /// As listed; empty when the document does not say.
  package let responseModesSupported: [String]
  /// As listed; empty when the document does not say.
  package let scopesSupported: [String]
  /// The prompts that it knows (Initiating User Registration via OpenID Connect 1.0 §4.2); nil when the document does not
  /// say.
  package let promptValuesSupported: [String]?
  /// The algorithms that sign ID tokens; `RS256` when the document does not say.
  package let idTokenSigningAlgorithms: [String]
  /// Whether every redirect carries `iss` (RFC 9207 §3).
  package let authorizationResponseIssParameterSupported: Bool
  /// How clients may authenticate at the token endpoint.
  package let tokenEndpointAuthMethods: [String]
  /// The algorithms of the proofs that it takes (RFC 9449 §5.1); empty when it does not speak DPoP.
  package let dpopSigningAlgorithms: [String]

  /// Reads and checks a metadata document.
  package init(parsing body: [UInt8], for authority: Authority) throws(Failure) {
    guard let json = (try? JSON.object(parsing: body, options: .strict(maximumSize: Self.bodyLimit))) else {
      if EndpointResponse.isPage(body) { throw .unexpectedPage("\(authority.metadataURL) is a web page") }
      throw .invalidMetadata("\(authority.metadataURL) is not one JSON object that names each member once")
    }
    let document = MetadataDocument(json: json, authority: authority)
    self.json = json
    self.issuerRule = try IssuerRule(issuer: try document.text("issuer"), authority: authority)
    self.tenantID = authority.isMicrosoft ? issuerRule.tenantID : nil
    self.authorizationEndpoint = try document.endpoint("authorization_endpoint")
    self.tokenEndpoint = try document.endpoint("token_endpoint")
    self.jwksURI = try document.endpoint("jwks_uri")
    var unusable: [String: String] = [:]
    func optional(_ name: String) -> String? {
      do throws(Failure) {
        return try document.optionalEndpoint(name)
      } catch {
        unusable[name] = error.message
        return nil
      }
    }
    self.endSessionEndpoint = optional("end_session_endpoint")
    self.revocationEndpoint = optional("revocation_endpoint")
    self.userinfoEndpoint = optional("userinfo_endpoint")
    self.deviceAuthorizationEndpoint = optional("device_authorization_endpoint")
    self.pushedAuthorizationRequestEndpoint = optional("pushed_authorization_request_endpoint")
    self.unusableEndpoints = unusable
    self.requirePushedAuthorizationRequests = try document.flag("require_pushed_authorization_requests")
    self.responseModesSupported = try document.list("response_modes_supported") ?? []
    self.scopesSupported = try document.list("scopes_supported") ?? []
    self.promptValuesSupported = json["prompt_values_supported"]?.array?.compactMap(\.string)
    // OpenID Connect Discovery §3 requires the list and RS256 in it; a document without it means that.
    self.idTokenSigningAlgorithms = try document.list("id_token_signing_alg_values_supported") ?? ["RS256"]
    self.authorizationResponseIssParameterSupported =
      try document.flag("authorization_response_iss_parameter_supported")
    // RFC 8414 §2: without a word of it, HTTP Basic.
    self.tokenEndpointAuthMethods =
      try document.list("token_endpoint_auth_methods_supported") ?? ["client_secret_basic"]
    // A client that does not use DPoP is not to be stopped by a mistake in it.
    self.dpopSigningAlgorithms = json["dpop_signing_alg_values_supported"]?.array?.compactMap(\.string) ?? []
    guard try document.list("response_types_supported")?.contains("code") ?? true else {
      throw .invalidMetadata("the provider does not offer the authorization code flow")
    }
  }

  /// Whether the provider knows a prompt; so it is taken to be when it does not say which it knows.
  package func supports(_ prompt: Prompt) -> Bool { promptValuesSupported?.contains(prompt.rawValue) ?? true }

  /// Whether the provider can answer that way; `query` when it does not say (OpenID Connect Discovery §3).
  package func supports(_ responseMode: ResponseMode) -> Bool {
    responseModesSupported.isEmpty ? responseMode == .query : responseModesSupported.contains(responseMode.rawValue)
  }
}
