package import MSAuthCore

/// A provider's checked metadata (OpenID Connect Discovery §3, RFC 8414 §2).
package struct ProviderMetadata: Sendable, Equatable {
  /// The largest public documents have about 20 KB.
  static let bodyLimit = 256 * 1024

  /// The whole document, so that it can be cached and checked again when read.
  let json: JSONValue.Object
  package let issuerRule: IssuerRule
  /// The tenant's ID in Microsoft's issuer; the authority may name the tenant by its domain.
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
  package let registrationEndpoint: String?
  /// Whether authorization requests must be pushed first (RFC 9126 §5).
  package let requirePushedAuthorizationRequests: Bool
  /// Whether every redirect contains `iss` (RFC 9207 §3).
  package let authorizationResponseIssParameterSupported: Bool
  /// Whether the client ID may be the URL of a document about the client.
  package let supportsClientIDMetadataDocument: Bool
  /// Empty if not listed.
  let scopesSupported: [String]
  /// Empty if not listed.
  package let codeChallengeMethods: [String]
  /// OpenID Connect Discovery §3 requires RS256.
  package let idTokenSigningAlgorithms: [String]
  /// With the default of RFC 8414 §2.
  let tokenEndpointAuthMethods: [String]
  /// For proofs (RFC 9449 §5.1); empty without DPoP.
  package let dpopSigningAlgorithms: [String]
  private let responseModes: [String]
  private let prompts: [String]?
  /// Invalid optional members, with the reason.
  package let ignoredMembers: [String: String]

  package init(parsing body: [UInt8], for authority: Authority) throws(AuthenticationError) {
    guard let json = (try? JSONValue.object(parsing: body, options: .strict(maximumSize: Self.bodyLimit))) else {
      if EndpointResponse.isPage(body) { throw .unexpectedPage("\(authority.metadataURL) is a web page") }
      throw .invalidMetadata("\(authority.metadataURL) isn't a JSON object with unique members")
    }
    let members = CheckedMembers(json, makeError: AuthenticationError.invalidMetadata)
    let isAccount = authority.subject.isAccount
    let isPublicResource =
      (authority.subject.resource ?? (isAccount ? nil : authority.url)).map {
        (try? WebURL($0, .endpoint))?.isPrivate == false
      } ?? false
    var privateAddress: AuthenticationError?
    func endpoint(_ name: String) throws(AuthenticationError) -> String? {
      guard let url = try members.webAddress(name) else { return nil }
      // A server on the internet must not direct tokens or requests into this computer's network.
      guard !isPublicResource || !url.isPrivate else {
        let error = AuthenticationError(
          .invalidResponse,
          "the provider's \(name) is a private address".printable(),
          reason: .privateAddress
        )
        privateAddress = error
        throw error
      }
      // http URLs are on loopback: a provider on the network must not direct requests to this machine's ports.
      guard url.isSecure || authority.isPlainHTTP else {
        throw .invalidMetadata("\(name) is http although the authority is https")
      }
      return json[name]?.string
    }
    self.json = json
    issuerRule = try IssuerRule(issuer: try members.required("issuer", members.text), authority: authority)
    tenantID = authority.isMicrosoft ? issuerRule.tenantID : nil
    authorizationEndpoint = try members.required("authorization_endpoint", endpoint)
    tokenEndpoint = try members.required("token_endpoint", endpoint)
    // Another provider's code must not be sent to this token endpoint (RFC 9700 §4.4).
    if let start = try? WebURL(authorizationEndpoint), authority.isForeign(start),
      !isAccount || (try? WebURL(tokenEndpoint).hostAndPort) != start.hostAndPort
    {
      throw .invalidMetadata("authorization_endpoint belongs to another provider, \(start.hostAndPort)")
    }
    // Only ID tokens need keys.
    jwksURI =
      isAccount ? try members.required("jwks_uri", endpoint) : members.optional("jwks_uri", endpoint) ?? ""
    endSessionEndpoint = members.optional("end_session_endpoint", endpoint)
    revocationEndpoint = members.optional("revocation_endpoint", endpoint)
    userinfoEndpoint = members.optional("userinfo_endpoint", endpoint)
    deviceAuthorizationEndpoint = members.optional("device_authorization_endpoint", endpoint)
    pushedAuthorizationRequestEndpoint = members.optional("pushed_authorization_request_endpoint", endpoint)
    registrationEndpoint = members.optional("registration_endpoint", endpoint)
    if let privateAddress { throw privateAddress }
    func flag(_ name: String) -> Bool { members.optional(name, members.flag) ?? false }
    requirePushedAuthorizationRequests = flag("require_pushed_authorization_requests")
    authorizationResponseIssParameterSupported = flag("authorization_response_iss_parameter_supported")
    supportsClientIDMetadataDocument = flag("client_id_metadata_document_supported")
    func list(_ name: String) -> [String]? { members.optional(name, members.list) }
    scopesSupported = list("scopes_supported") ?? []
    codeChallengeMethods = list("code_challenge_methods_supported") ?? []
    idTokenSigningAlgorithms = list("id_token_signing_alg_values_supported") ?? ["RS256"]
    tokenEndpointAuthMethods = list("token_endpoint_auth_methods_supported") ?? ["client_secret_basic"]
    dpopSigningAlgorithms = list("dpop_signing_alg_values_supported") ?? []
    responseModes = list("response_modes_supported") ?? ["query"]
    prompts = list("prompt_values_supported")
    let responseTypes = list("response_types_supported")
    ignoredMembers = members.ignored
    guard responseTypes?.contains("code") ?? true else {
      throw .invalidMetadata("the provider doesn't offer the authorization code flow")
    }
  }

  /// Whether the provider supports a prompt: any, if it doesn't list them (Initiating User Registration via OpenID Connect
  /// 1.0 §4.2).
  package func supports(_ prompt: Prompt) -> Bool {
    prompts?.contains(prompt.rawValue) ?? true
  }

  /// Whether the provider supports a response mode: only `query`, if it doesn't list them (OpenID Connect Discovery §3).
  package func supports(_ responseMode: ResponseMode) -> Bool {
    responseModes.contains(responseMode.rawValue)
  }
}
