package import MSAuthCore

/// A provider's checked metadata (OpenID Connect Discovery §3, RFC 8414 §2).
package struct ProviderMetadata: Sendable, Equatable {
  /// The largest public documents have about 20 KB.
  package static let bodyLimit = 256 * 1024

  /// The whole document, so that it can be cached and checked again when read.
  package let json: JSONValue.Object
  package let issuerRule: IssuerRule
  /// The ID of the tenant that the authority names by its domain, from Microsoft's issuer.
  package let tenantID: String?
  package let authorizationEndpoint: String
  package let tokenEndpoint: String
  /// Empty if the authorization server of a resource has none.
  package let jwksURI: String
  package let endSessionEndpoint: String?
  package let revocationEndpoint: String?
  package let userinfoEndpoint: String?
  package let deviceAuthorizationEndpoint: String?
  package let pushedAuthorizationRequestEndpoint: String?
  /// Invalid optional endpoints, with the reason; sign-ins that don't need them work.
  package let unusableEndpoints: [String: String]
  /// Whether authorization requests must be pushed first (RFC 9126 §5).
  package let requirePushedAuthorizationRequests: Bool
  /// Empty if not listed.
  package let responseModesSupported: [String]
  /// Empty if not listed.
  package let scopesSupported: [String]
  package let idTokenSigningAlgorithms: [String]
  /// Whether every redirect contains `iss` (RFC 9207 §3).
  package let authorizationResponseIssParameterSupported: Bool
  package let tokenEndpointAuthMethods: [String]
  /// Empty if not listed.
  package var codeChallengeMethods: [String] { strings("code_challenge_methods_supported") ?? [] }
  package let registrationEndpoint: String?
  /// Whether the client ID may be the URL of a document about the client.
  package var supportsClientIDMetadataDocument: Bool { json["client_id_metadata_document_supported"]?.bool ?? false }
  /// For proofs (RFC 9449 §5.1); empty without DPoP.
  ///
  /// An error in it must not stop clients without DPoP.
  package var dpopSigningAlgorithms: [String] { strings("dpop_signing_alg_values_supported") ?? [] }

  package init(parsing body: [UInt8], for authority: Authority) throws(Failure) {
    guard let json = (try? JSONValue.object(parsing: body, options: .strict(maximumSize: Self.bodyLimit))) else {
      if EndpointResponse.isPage(body) { throw .unexpectedPage("\(authority.metadataURL) is a web page") }
      throw .invalidMetadata("\(authority.metadataURL) is not a JSON object with unique members")
    }
    let fields = Fields(json, refusal: Failure.invalidMetadata)
    func endpoint(_ name: String) throws(Failure) -> String? {
      guard let url = try fields.webAddress(name) else { return nil }
      // A provider on the network must not reach this machine's ports.
      guard url.isSecure || authority.isPlainHTTP else {
        throw .invalidMetadata("\(name) is http although the authority is https")
      }
      return json[name]?.string
    }
    self.json = json
    self.issuerRule = try IssuerRule(issuer: try fields.required("issuer", fields.text), authority: authority)
    self.tenantID = authority.isMicrosoft ? issuerRule.tenantID : nil
    self.authorizationEndpoint = try fields.required("authorization_endpoint", endpoint)
    self.tokenEndpoint = try fields.required("token_endpoint", endpoint)
    let jwksURI = try endpoint("jwks_uri")
    guard jwksURI != nil || authority.resource != nil else { throw .invalidMetadata("jwks_uri is missing") }
    self.jwksURI = jwksURI ?? ""
    var unusable: [String: String] = [:]
    func optional(_ name: String) -> String? {
      do throws(Failure) {
        return try endpoint(name)
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
    self.registrationEndpoint = optional("registration_endpoint")
    self.unusableEndpoints = unusable
    self.requirePushedAuthorizationRequests = try fields.flag("require_pushed_authorization_requests")
    self.responseModesSupported = try fields.list("response_modes_supported") ?? []
    self.scopesSupported = try fields.list("scopes_supported") ?? []
    // OpenID Connect Discovery §3 requires RS256.
    self.idTokenSigningAlgorithms = try fields.list("id_token_signing_alg_values_supported") ?? ["RS256"]
    self.authorizationResponseIssParameterSupported =
      try fields.flag("authorization_response_iss_parameter_supported")
    // The default of RFC 8414 §2.
    self.tokenEndpointAuthMethods =
      try fields.list("token_endpoint_auth_methods_supported") ?? ["client_secret_basic"]
    guard try fields.list("response_types_supported")?.contains("code") ?? true else {
      throw .invalidMetadata("the provider does not offer the authorization code flow")
    }
  }

  private func strings(_ name: String) -> [String]? { json[name]?.array?.compactMap(\.string) }

  /// Assumed if the provider doesn't list its prompts (Initiating User Registration via OpenID Connect 1.0 §4.2).
  package func supports(_ prompt: Prompt) -> Bool {
    strings("prompt_values_supported")?.contains(prompt.rawValue) ?? true
  }

  /// `query` if the provider doesn't list its response modes (OpenID Connect Discovery §3).
  package func supports(_ responseMode: ResponseMode) -> Bool {
    responseModesSupported.isEmpty ? responseMode == .query : responseModesSupported.contains(responseMode.rawValue)
  }
}
