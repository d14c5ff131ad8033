import MSAuthCore

/// An authorization request that passed the checks.
struct DemoSignInRequest: Sendable {
  /// OAuth 2.0 Multiple Response Types §2.1, Form Post Response Mode.
  enum ResponseMode: String {
    case query
    case fragment
    case formPost = "form_post"
  }

  var kind: ProviderKind
  var client: RegisteredClient
  var redirectURI: String
  var responseMode: ResponseMode
  var state: String?
  var nonce: String?
  var scopes: [String]
  /// The PKCE challenge, S256.
  var challenge: String
  var prompts: Set<String>
  var loginHint: String?
  var domainHint: String?
  /// In seconds.
  var maxAge: Int64?
  /// ID token claims requested by the `claims` parameter.
  var requestedClaims: Set<String>
  var wantsClientInfo: Bool
  /// Access token claims requested by the `claims` parameter.
  var accessTokenClaims: Set<String>
  var acrValues: Set<String>
  /// Whether users of other clouds are redirected there (Microsoft Entra's `instance_aware`).
  var isInstanceAware: Bool
  /// The thumbprint of the only key that may redeem the code (`dpop_jkt`, RFC 9449 §10).
  var keyThumbprint: String?
  var parameters: Parameters
}

enum AuthorizationError: Error {
  /// Shown to the user, since the redirect URI can't be trusted (RFC 6749 §4.1.2.1).
  case page(ProtocolError)
  case redirect(ProtocolError, RedirectTarget)
}

struct RedirectTarget: Sendable {
  var kind: ProviderKind
  var redirectURI: String
  var mode: DemoSignInRequest.ResponseMode
  var state: String?
}

extension DemoSignInRequest {
  /// The same request for another cloud, with the account selected.
  func address(at home: String, for user: DemoUser) -> String {
    var pairs = parameters.pairs.filter { $0.name != "login_hint" && $0.name != "prompt" }
    pairs.append(("login_hint", user.username))
    return "\(home)/common/oauth2/v2.0/authorize?" + FormEncoding.encode(pairs)
  }

  static let prompts: Set<String> = ["none", "login", "select_account", "consent", "create"]

  var redirectTarget: RedirectTarget {
    RedirectTarget(kind: kind, redirectURI: redirectURI, mode: responseMode, state: state)
  }

  /// Checks a request as real providers do (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1, RFC 7636 §4.3).
  init(_ parameters: Parameters, at kind: ProviderKind) throws(AuthorizationError) {
    guard let clientID = parameters["client_id"] else { throw .page(.missing("client_id")) }
    guard let client = RegisteredClient.registered(clientID) else { throw .page(.unknownClient) }
    guard let redirectURI = parameters["redirect_uri"] else { throw .page(.missing("redirect_uri")) }
    guard client.accepts(redirectURI: redirectURI, at: kind) else {
      throw .page(.redirectURIMismatch(redirectURI))
    }

    let mode = ResponseMode(rawValue: parameters["response_mode"] ?? "query")
    let redirectTarget = RedirectTarget(
      kind: kind,
      redirectURI: redirectURI,
      mode: mode ?? .query,
      state: parameters["state"]
    )
    func refuse(_ error: String, _ text: String, _ aadsts: Int) -> AuthorizationError {
      .redirect(ProtocolError(error, text, aadsts: aadsts), redirectTarget)
    }

    if let name = parameters.repeated {
      throw refuse("invalid_request", "The parameter '\(name)' occurs more than once.", 9000411)
    }
    guard mode != nil else { throw refuse("invalid_request", "The response_mode is not supported.", 900117) }
    guard parameters["response_type"] == "code" else {
      throw refuse("unsupported_response_type", "The response_type is not supported.", 700051)
    }
    guard let challenge = parameters["code_challenge"], parameters["code_challenge_method"] == "S256",
      Base64URL.decode(challenge)?.count == 32
    else {
      throw refuse("invalid_request", "Proof Key for Code Exchange with S256 is required.", 9002325)
    }
    let scopes = parameters.words("scope")
    guard scopes.contains("openid") || kind.isEntra && !scopes.isEmpty else {
      throw refuse("invalid_scope", "The scope must contain openid.", 70011)
    }
    if let unknown = scopes.first(where: { DemoScopes.meaning(of: $0) == nil }) {
      throw refuse("invalid_scope", "The scope '\(unknown)' is unknown.", 70011)
    }
    let prompts = Set(parameters.words("prompt"))
    guard prompts.isSubset(of: Self.prompts), !prompts.contains("none") || prompts.count == 1 else {
      throw refuse("invalid_request", "The prompt is not supported.", 90023)
    }
    let maxAge = parameters["max_age"].map { Int64($0) ?? -1 }
    guard maxAge ?? 0 >= 0 else { throw refuse("invalid_request", "The max_age is not a number of seconds.", 90014) }
    let claims = parameters["claims"].map { try? JSONValue(parsing: $0.utf8) }
    guard claims == nil || claims??.object != nil else {
      throw refuse("invalid_request", "The claims parameter is not a JSON object.", 100083)
    }

    self.kind = kind
    self.client = client
    self.redirectURI = redirectURI
    responseMode = redirectTarget.mode
    state = redirectTarget.state
    nonce = parameters["nonce"]
    self.scopes = scopes
    self.challenge = challenge
    self.prompts = prompts
    loginHint = parameters["login_hint"]
    domainHint = parameters["domain_hint"]
    self.maxAge = maxAge
    requestedClaims = Set(claims??["id_token"]?.object?.keys.map(\.self) ?? [])
    if maxAge != nil { requestedClaims.insert("auth_time") }
    wantsClientInfo = parameters["client_info"] == "1"
    accessTokenClaims = Set(claims??["access_token"]?.object?.keys.map(\.self) ?? [])
    acrValues = Set(parameters.words("acr_values"))
    isInstanceAware = parameters["instance_aware"] == "true"
    keyThumbprint = kind == .oidc ? parameters["dpop_jkt"] : nil
    self.parameters = parameters
  }
}

extension ProtocolError {
  static func missing(_ name: String) -> ProtocolError {
    ProtocolError(
      "invalid_request",
      "The request body must contain the following parameter: '\(name)'.",
      aadsts: 900144
    )
  }

  static func redirectURIMismatch(_ uri: String) -> ProtocolError {
    ProtocolError(
      "invalid_request",
      "The redirect URI '\(uri)' specified in the request does not match the redirect URIs of the application.",
      aadsts: 50011
    )
  }
}
