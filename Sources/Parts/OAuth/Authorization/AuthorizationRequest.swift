package import MSAuthCore
import MSAuthCrypto

/// The request that the browser sends to the provider (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1).
package struct AuthorizationRequest: Sendable {
  package var clientID: String
  /// Set once the listener is bound, since the port is part of it.
  package var redirectURI = ""
  package var scopes: Scopes
  /// Binds the redirect to this process (RFC 6749 §10.12).
  package var state: Secret
  /// Binds the ID token to this request (OpenID Connect Core §15.5.2); `nil` without an ID token.
  package var nonce: Secret?
  /// Binds the code to this process (RFC 7636).
  var verifier: Secret
  package var responseMode = ResponseMode.query
  package var prompt: Prompt?
  /// Whether consent is requested beside ``prompt``: `prompt` is a list (OpenID Connect Core §3.1.2.1).
  package var requestsConsent = false
  package var loginHint: String?
  package var domainHint: String?
  /// The maximum age of the sign-in, in seconds.
  package var maxAge: Int64?
  /// A JSON object (OpenID Connect Core §5.5), from ``ClaimsParameter/merging(_:capabilities:)``.
  package var claims: String?
  package var extraQuery: [String: String] = [:]
  /// RFC 8707.
  package var resource: String?
  package var acrValues: String?
  /// Whether to request Microsoft's `client_info`, which names the account.
  package var requestsClientInfo = false
  /// Microsoft's `client-request-id`.
  package var correlationID: String?
  /// Whether Entra may redirect the sign-in to another of Microsoft's clouds.
  package var isInstanceAware = false
  /// The thumbprint of the key that the code is bound to (RFC 9449 §10).
  package var keyThumbprint: String?

  package init(clientID: String, scopes: Scopes, state: Secret, verifier: Secret) {
    self.clientID = clientID
    self.scopes = scopes
    self.state = state
    self.verifier = verifier
  }

  func parameters() throws(AuthenticationError) -> [(name: String, value: String)] {
    try validate()
    var list = ParameterList()
    try list.add("client_id", clientID)
    try list.add("response_type", "code")
    try list.add("redirect_uri", redirectURI)
    try list.add("scope", scopes.joined)
    try list.add("state", state.revealed)
    try list.add("nonce", nonce?.revealed)
    try list.add("code_challenge", PKCE.challenge(of: verifier))
    try list.add("code_challenge_method", PKCE.method)
    try list.add("response_mode", responseMode.rawValue)
    let prompts = [prompt, requestsConsent && prompt != .consent ? .consent : nil].compactMap { $0?.rawValue }
    try list.add("prompt", prompts.joined(separator: " "))
    try list.add("login_hint", loginHint)
    try list.add("domain_hint", domainHint)
    try list.add("max_age", maxAge.map(String.init))
    try list.add("claims", claims)
    try list.add("resource", resource)
    try list.add("acr_values", acrValues)
    try list.add("client_info", requestsClientInfo ? "1" : nil)
    try list.add("client-request-id", correlationID)
    try list.add("instance_aware", isInstanceAware ? "true" : nil)
    try list.add("dpop_jkt", keyThumbprint)
    try list.addExtra(extraQuery)
    return list.parameters
  }

  /// Checks the caller's extra parameters before there is a request.
  package static func check(extra: [String: String]) throws(AuthenticationError) {
    var list = ParameterList()
    try list.addExtra(extra)
  }

  package func url(metadata: ProviderMetadata) throws(AuthenticationError) -> String {
    // RFC 9126 §5.
    guard !metadata.requirePushedAuthorizationRequests else {
      let flaw = metadata.ignoredMembers["pushed_authorization_request_endpoint"].map { ": \($0)" } ?? ""
      throw .invalidMetadata("the provider accepts only pushed authorization requests (RFC 9126)" + flaw)
    }
    return try EndpointQuery.url(metadata.authorizationEndpoint, adding: try parameters())
  }

  package func expectation(metadata: ProviderMetadata) -> AuthorizationResponse.Expectation {
    var expectation = AuthorizationResponse.Expectation(state: state)
    expectation.issuer = metadata.issuerRule
    expectation.requiresIss = metadata.authorizationResponseIssParameterSupported
    expectation.isInstanceAware = isInstanceAware
    return expectation
  }

  /// The request that exchanges the code, with the same claims: Microsoft Entra applies those of the access token here.
  package func tokenRequest(code: Secret) -> TokenRequest {
    let grant = TokenRequest.Grant.authorizationCode(code: code, redirectURI: redirectURI, verifier: verifier)
    return TokenRequest(grant, claims: claims, resource: resource, extraQuery: extraQuery)
  }

  private func validate() throws(AuthenticationError) {
    // RFC 6749 §3.1.2 forbids a fragment, OpenID Connect Core §3.1.2.1 requires `openid`.
    guard !redirectURI.isEmpty, !redirectURI.utf8.contains(UInt8(ascii: "#")) else {
      throw .invalidParameter(name: "redirect_uri", reason: "is empty or has a fragment")
    }
    // Microsoft accepts any case; for others, `Scopes.forRequest` adds the correct one.
    guard nonce == nil || scopes.contains("openid", ignoringCase: true) else {
      throw .invalidParameter(name: "scope", reason: "lacks openid")
    }
    // RFC 8707 §2: an absolute URI without a fragment.
    if let resource {
      let scheme = resource.prefix { $0 != ":" }
      guard resource.utf8.allSatisfy(\.isASCIIVisible), !resource.contains("#"),
        scheme.first?.isLetter == true, resource.utf8.count > scheme.utf8.count + 1
      else { throw .invalidParameter(name: "resource", reason: "isn't an absolute URI without a fragment") }
    }
    guard maxAge ?? 0 >= 0 else { throw .invalidParameter(name: "max_age", reason: "is negative") }
  }
}

// Pushed authorization requests (RFC 9126).
extension AuthorizationRequest {
  /// Sends this request to the provider before the browser opens; the client authenticates as for tokens (RFC 9126 §2).
  package func pushedForm(to endpoint: String, from client: OAuthClient) throws(AuthenticationError) -> FormRequest {
    FormRequest(to: endpoint, try parameters().filter { $0.name != "client_id" }, from: client)
  }

  /// The URL that the browser opens for a pushed request, with the provider's reference to it (RFC 9126 §2.2, §4).
  package func url(metadata: ProviderMetadata, pushed response: EndpointResponse) throws(AuthenticationError) -> String
  {
    let members = try response.members(limit: Self.pushedBodyLimit)
    let requestURI = try members.required("request_uri", members.token).revealed
    guard requestURI.utf8.count <= Self.requestURILimit else {
      throw AuthenticationError.invalidResponse("request_uri is longer than \(Self.requestURILimit) bytes")
    }
    let parameters = [(name: "client_id", value: clientID), ("request_uri", requestURI)]
    return try EndpointQuery.url(metadata.authorizationEndpoint, adding: parameters)
  }

  private static let pushedBodyLimit = 16 * 1024
  private static let requestURILimit = 2048
}

/// Proof that the process that redeems a code also requested it (RFC 7636).
package enum PKCE {
  /// `plain` would reveal the verifier to anyone who sees the URL (RFC 7636 §7.2).
  package static let method = "S256"

  /// The digest of the verifier, which the authorization request contains.
  static func challenge(of verifier: Secret) -> String {
    Base64URL.encode(Digest.sha256.hash(verifier.revealed.utf8))
  }
}

/// The page that the provider shows (OpenID Connect Core §3.1.2.1; `create`: Initiating User Registration §4.1).
public enum Prompt: String, Sendable, CaseIterable {
  /// The account picker.
  case selectAccount = "select_account"
  /// Credentials, even if the browser has a session.
  case login
  /// Consent, even if it was given before.
  case consent
  /// The form for a new account.
  case create
  /// No page: `none`. The sign-in fails if the user would have to do something.
  case noInteraction = "none"
}

/// How the provider returns its response to the redirect URI.
public enum ResponseMode: String, Sendable, CaseIterable, Codable {
  /// In the URL, which the browser's history keeps.
  case query
  /// In the body of a POST, which leaves no trace in the history (OAuth 2.0 Form Post Response Mode).
  case formPost = "form_post"
}
