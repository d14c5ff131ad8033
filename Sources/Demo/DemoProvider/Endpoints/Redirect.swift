import MSAuthCore

/// The target of an authorization response: a registered redirect URI (RFC 6749 §4.1.2.1).
struct Redirect: Sendable {
  /// OAuth 2.0 Multiple Response Types §2.1, Form Post Response Mode; servers receive no fragments.
  enum ResponseMode: String {
    case query
    case formPost = "form_post"
  }

  let kind: ProviderKind
  let client: RegisteredClient
  let redirectURI: String
  let mode: ResponseMode
  let state: String?

  init(_ parameters: Parameters, at kind: ProviderKind) throws(ProtocolError) {
    guard let client = RegisteredClient.registered(try parameters.required("client_id")) else { throw .unknownClient }
    redirectURI = try parameters.required("redirect_uri")
    guard RegisteredClient.accepts(redirectURI: redirectURI, at: kind) else {
      throw ProtocolError("invalid_request", "The redirect URI '\(redirectURI)' isn't registered.", aadsts: 50011)
    }
    (self.kind, self.client) = (kind, client)
    mode = ResponseMode(rawValue: parameters["response_mode"] ?? "") ?? .query
    state = parameters["state"]
  }
}
