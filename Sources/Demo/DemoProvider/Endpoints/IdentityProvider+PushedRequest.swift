import FlyingFox
import MSAuthCore

extension IdentityProvider {
  /// The pushed authorization request endpoint (RFC 9126 §2).
  func push(_ request: ProviderRequest, at kind: ProviderKind) throws -> HTTPResponse {
    if let error = injector.pushError { throw error }
    _ = try checkClient(request)
    guard request.form["request_uri"] == nil else {
      throw ProtocolError("invalid_request", "A pushed request can't contain request_uri.", aadsts: 900144)
    }
    let uri = "urn:ietf:params:oauth:request_uri:" + RandomString.token()
    pushed[uri] = try request.form.bound(by: try proof(of: request, at: kind))
    return .json(["request_uri": .string(uri), "expires_in": 60], status: 201)
  }

  /// The authorization request's parameters, or the pushed ones; they can be used once (RFC 9126 §7.3).
  func authorizationParameters(_ request: ProviderRequest) throws(ProtocolError) -> Parameters {
    guard let uri = request.parameters["request_uri"] else {
      guard !injector.requiresPushing else {
        throw ProtocolError("invalid_request", "Authorization requests must be pushed first.", aadsts: 900144)
      }
      return request.parameters
    }
    guard let parameters = pushed.removeValue(forKey: uri), parameters["client_id"] == request.parameters["client_id"]
    else { throw ProtocolError("invalid_request_uri", "The request_uri is unknown.", aadsts: 900144) }
    return parameters
  }
}
