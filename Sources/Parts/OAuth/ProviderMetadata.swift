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
    json = try Self.json(body, for: authority)
    let members = CheckedMembers(json, makeError: AuthenticationError.invalidMetadata)
    let endpoints = EndpointReader(members, authority)

    issuerRule = try IssuerRule(issuer: try members.required("issuer", members.text), authority: authority)
    tenantID = authority.isMicrosoft ? issuerRule.tenantID : nil
    authorizationEndpoint = try members.required("authorization_endpoint", endpoints.url)
    tokenEndpoint = try members.required("token_endpoint", endpoints.url)
    try Self.checkProvider(of: authorizationEndpoint, beside: tokenEndpoint, at: authority)
    // Only ID tokens need keys.
    let needsKeys = authority.subject.isAccount
    jwksURI = needsKeys ? try members.required("jwks_uri", endpoints.url) : endpoints.optional("jwks_uri") ?? ""
    endSessionEndpoint = endpoints.optional("end_session_endpoint")
    revocationEndpoint = endpoints.optional("revocation_endpoint")
    userinfoEndpoint = endpoints.optional("userinfo_endpoint")
    deviceAuthorizationEndpoint = endpoints.optional("device_authorization_endpoint")
    pushedAuthorizationRequestEndpoint = endpoints.optional("pushed_authorization_request_endpoint")
    registrationEndpoint = endpoints.optional("registration_endpoint")
    if let privateAddress = endpoints.privateAddress { throw privateAddress }

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
    guard list("response_types_supported")?.contains("code") ?? true else {
      throw .invalidMetadata("the provider doesn't offer the authorization code flow")
    }
    ignoredMembers = members.ignored
  }

  private static func json(_ body: [UInt8], for authority: Authority) throws(AuthenticationError) -> JSONValue.Object {
    if let json = try? JSONValue.object(parsing: body, options: .strict(maximumSize: bodyLimit)) { return json }
    if EndpointResponse.isPage(body) { throw .unexpectedPage("\(authority.metadataURL) is a web page") }
    throw .invalidMetadata("\(authority.metadataURL) isn't a JSON object with unique members")
  }

  /// Another provider's code must not be sent to this token endpoint (RFC 9700 §4.4).
  private static func checkProvider(
    of authorizationEndpoint: String,
    beside tokenEndpoint: String,
    at authority: Authority
  ) throws(AuthenticationError) {
    guard let start = try? WebURL(authorizationEndpoint), authority.isForeign(start) else { return }
    guard authority.subject.isAccount, (try? WebURL(tokenEndpoint).hostAndPort) == start.hostAndPort else {
      throw .invalidMetadata("authorization_endpoint belongs to another provider, \(start.hostAndPort)")
    }
  }

  /// Whether the provider supports a prompt: any, if it doesn't list them (Initiating User Registration via OpenID Connect
  /// 1.0 §4.2).
  package func supports(_ prompt: Prompt) -> Bool { prompts?.contains(prompt.rawValue) ?? true }

  /// Whether the provider supports a response mode: only `query`, if it doesn't list them (OpenID Connect Discovery §3).
  package func supports(_ responseMode: ResponseMode) -> Bool { responseModes.contains(responseMode.rawValue) }
}

/// Reads a provider's endpoints.
private final class EndpointReader {
  private let members: CheckedMembers
  private let authority: Authority
  private let isPublicResource: Bool
  /// The error of an endpoint that must not be used, even an optional one.
  private(set) var privateAddress: AuthenticationError?

  init(_ members: CheckedMembers, _ authority: Authority) {
    (self.members, self.authority) = (members, authority)
    let resource = authority.subject.isAccount ? nil : authority.subject.resource ?? authority.url
    isPublicResource = resource.map { (try? WebURL($0, .endpoint))?.isPrivate == false } ?? false
  }

  func url(_ name: String) throws(AuthenticationError) -> String? {
    guard let url = try members.webAddress(name) else { return nil }
    // A server on the internet must not direct tokens or requests into this computer's network.
    if isPublicResource, url.isPrivate {
      let message = "the provider's \(name) is a private address".printable()
      let error = AuthenticationError(.invalidResponse, message, reason: .privateAddress)
      privateAddress = error
      throw error
    }
    // http URLs are on loopback: a provider on the network must not direct requests to this machine's ports.
    guard url.isSecure || authority.isPlainHTTP else {
      throw .invalidMetadata("\(name) is http although the authority is https")
    }
    return members.json[name]?.string
  }

  func optional(_ name: String) -> String? { members.optional(name, url) }
}
