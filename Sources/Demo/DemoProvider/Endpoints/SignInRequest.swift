import MSAuthCore

/// An authorization request that passed the checks.
struct SignInRequest: Sendable {
  let access: Access
  let redirect: Redirect
  /// The PKCE challenge, S256.
  let challenge: String
  let prompts: Set<String>
  let loginHint, domainHint: String?
  /// In seconds.
  let maxAge: Int64?
  /// Whether users of other clouds are redirected there (Microsoft Entra's `instance_aware`).
  let isInstanceAware: Bool
  private let parameters: Parameters

  private static let prompts: Set<String> = ["none", "login", "select_account", "consent", "create"]

  /// Checks a request as real providers do (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1, RFC 7636 §4.3).
  init(_ parameters: Parameters, _ redirect: Redirect) throws(ProtocolError) {
    try parameters.checkUnique()
    guard Redirect.ResponseMode(rawValue: parameters["response_mode"] ?? "query") != nil else {
      throw ProtocolError("invalid_request", "The response_mode is not supported.", aadsts: 900117)
    }
    guard parameters["response_type"] == "code" else {
      throw ProtocolError("unsupported_response_type", "The response_type is not supported.", aadsts: 700051)
    }
    guard let challenge = parameters["code_challenge"], parameters["code_challenge_method"] == "S256",
      Base64URL.decode(challenge)?.count == 32
    else {
      throw ProtocolError("invalid_request", "Proof Key for Code Exchange with S256 is required.", aadsts: 9002325)
    }
    let scopes = parameters.words("scope")
    guard scopes.contains("openid") || redirect.kind.isEntra && !scopes.isEmpty else {
      throw ProtocolError("invalid_scope", "The scope must contain openid.", aadsts: 70011)
    }
    try DemoScopes.check(scopes)
    prompts = Set(parameters.words("prompt"))
    guard prompts.isSubset(of: Self.prompts), !prompts.contains("none") || prompts.count == 1 else {
      throw ProtocolError("invalid_request", "The prompt is not supported.", aadsts: 90023)
    }
    maxAge = parameters["max_age"].map { Int64($0) ?? -1 }
    guard maxAge ?? 0 >= 0 else {
      throw ProtocolError("invalid_request", "The max_age is not a number of seconds.", aadsts: 90014)
    }
    let idTokenClaims = try parameters.requestedClaims("id_token")
    access = Access(
      kind: redirect.kind,
      client: redirect.client,
      scopes: scopes,
      wantsClientInfo: parameters["client_info"] == "1",
      nonce: parameters["nonce"],
      idTokenClaims: maxAge == nil ? idTokenClaims : idTokenClaims.union(["auth_time"]),
      accessTokenClaims: try parameters.requestedClaims("access_token"),
      acrValues: Set(parameters.words("acr_values")),
      keyThumbprint: redirect.kind == .oidc ? parameters["dpop_jkt"] : nil
    )
    (self.redirect, self.challenge, self.parameters) = (redirect, challenge, parameters)
    (loginHint, domainHint) = (parameters["login_hint"], parameters["domain_hint"])
    isInstanceAware = parameters["instance_aware"] == "true"
  }

  /// The same request for another cloud, with the account selected.
  func address(at home: String, for user: DemoUser) -> String {
    var pairs = parameters.pairs.filter { $0.name != "login_hint" && $0.name != "prompt" }
    pairs.append(("login_hint", user.username))
    return "\(home)/common/oauth2/v2.0/authorize?" + FormEncoding.encode(pairs)
  }

  /// The users who may sign in.
  var candidates: [DemoUser] {
    DemoUser.all.filter { user in
      guard access.kind.admits(user) else { return false }
      return switch domainHint?.lowercased() {
      case nil: true
      case "consumers": user.tenant == .personal
      case "organizations": user.tenant != .personal
      case let domain?: user.username.hasSuffix("@" + domain)
      }
    }
  }
}
