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
  private let optionalEndpoints: [String: String]
  private let flags: Set<String>
  private let lists: [String: [String]]
  /// Invalid optional members, with the reason; they count as absent.
  package let unusableMembers: [String: String]

  package init(parsing body: [UInt8], for authority: Authority) throws(AuthenticationError) {
    guard let json = (try? JSONValue.object(parsing: body, options: .strict(maximumSize: Self.bodyLimit))) else {
      if EndpointResponse.isPage(body) { throw .unexpectedPage("\(authority.metadataURL) is a web page") }
      throw .invalidMetadata("\(authority.metadataURL) isn't a JSON object with unique members")
    }
    let fields = Fields(json, refusal: AuthenticationError.invalidMetadata)
    let isAccount = authority.subject.isAccount
    let isPublicResource =
      (authority.subject.resource ?? (isAccount ? nil : authority.url)).map {
        (try? WebURL($0, .endpoint))?.isPrivate == false
      } ?? false
    var privateAddress: AuthenticationError?
    func endpoint(_ name: String) throws(AuthenticationError) -> String? {
      guard let url = try fields.webAddress(name) else { return nil }
      // Tokens of a server on the internet must not be sent into this computer's network, now or after a change there.
      guard !isPublicResource || !url.isPrivate else {
        let error = AuthenticationError(
          .invalidResponse,
          "the provider's \(name) is a private address".printable(),
          reason: .privateAddress
        )
        privateAddress = error
        throw error
      }
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
    // Another provider's code must not reach this token endpoint (RFC 9700 §4.4).
    if let start = try? WebURL(authorizationEndpoint), authority.isForeign(start),
      !isAccount || (try? WebURL(tokenEndpoint).hostAndPort) != start.hostAndPort
    {
      throw .invalidMetadata("authorization_endpoint belongs to another provider, \(start.hostAndPort)")
    }
    // Only ID tokens need keys.
    jwksURI =
      isAccount ? try fields.required("jwks_uri", endpoint) : fields.optional("jwks_uri", endpoint) ?? ""
    var endpoints: [String: String] = [:]
    for name in Self.optionalEndpointNames { endpoints[name] = fields.optional(name, endpoint) }
    if let privateAddress { throw privateAddress }
    var lists: [String: [String]] = [:]
    for name in Self.listNames { lists[name] = fields.optional(name, fields.list) }
    flags = Set(Self.flagNames.filter { fields.optional($0, fields.flag) == true })
    (optionalEndpoints, self.lists, unusableMembers) = (endpoints, lists, fields.unusable)
    guard lists["response_types_supported"]?.contains("code") ?? true else {
      throw .invalidMetadata("the provider doesn't offer the authorization code flow")
    }
  }

  private static let optionalEndpointNames = [
    "end_session_endpoint", "revocation_endpoint", "userinfo_endpoint", "device_authorization_endpoint",
    "pushed_authorization_request_endpoint", "registration_endpoint",
  ]
  private static let flagNames = [
    "require_pushed_authorization_requests", "authorization_response_iss_parameter_supported",
    "client_id_metadata_document_supported",
  ]
  private static let listNames = [
    "response_modes_supported", "scopes_supported", "id_token_signing_alg_values_supported",
    "token_endpoint_auth_methods_supported", "response_types_supported", "code_challenge_methods_supported",
    "dpop_signing_alg_values_supported", "prompt_values_supported",
  ]
}

extension ProviderMetadata {
  package var endSessionEndpoint: String? { optionalEndpoints["end_session_endpoint"] }
  package var revocationEndpoint: String? { optionalEndpoints["revocation_endpoint"] }
  package var userinfoEndpoint: String? { optionalEndpoints["userinfo_endpoint"] }
  package var deviceAuthorizationEndpoint: String? { optionalEndpoints["device_authorization_endpoint"] }
  package var pushedAuthorizationRequestEndpoint: String? { optionalEndpoints["pushed_authorization_request_endpoint"] }
  package var registrationEndpoint: String? { optionalEndpoints["registration_endpoint"] }

  /// Whether authorization requests must be pushed first (RFC 9126 §5).
  package var requirePushedAuthorizationRequests: Bool { flags.contains("require_pushed_authorization_requests") }
  /// Whether every redirect contains `iss` (RFC 9207 §3).
  package var authorizationResponseIssParameterSupported: Bool {
    flags.contains("authorization_response_iss_parameter_supported")
  }
  /// Whether the client ID may be the URL of a document about the client.
  package var supportsClientIDMetadataDocument: Bool { flags.contains("client_id_metadata_document_supported") }

  /// Empty if not listed.
  package var scopesSupported: [String] { lists["scopes_supported"] ?? [] }
  /// Empty if not listed.
  package var codeChallengeMethods: [String] { lists["code_challenge_methods_supported"] ?? [] }
  /// OpenID Connect Discovery §3 requires RS256.
  package var idTokenSigningAlgorithms: [String] { lists["id_token_signing_alg_values_supported"] ?? ["RS256"] }
  /// With the default of RFC 8414 §2.
  package var tokenEndpointAuthMethods: [String] {
    lists["token_endpoint_auth_methods_supported"] ?? ["client_secret_basic"]
  }
  /// For proofs (RFC 9449 §5.1); empty without DPoP.
  package var dpopSigningAlgorithms: [String] { lists["dpop_signing_alg_values_supported"] ?? [] }

  /// Assumed if the provider doesn't list its prompts (Initiating User Registration via OpenID Connect 1.0 §4.2).
  package func supports(_ prompt: Prompt) -> Bool {
    lists["prompt_values_supported"]?.contains(prompt.rawValue) ?? true
  }

  /// `query` if the provider doesn't list its response modes (OpenID Connect Discovery §3).
  package func supports(_ responseMode: ResponseMode) -> Bool {
    (lists["response_modes_supported"] ?? ["query"]).contains(responseMode.rawValue)
  }
}
