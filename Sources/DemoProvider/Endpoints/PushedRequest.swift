import FlyingFox
import MSAuthCore

extension Endpoints {
  private static let requestURIPrefix = "urn:ietf:params:oauth:request_uri:"

  /// The pushed authorization request endpoint (RFC 9126 §2).
  func push(_ request: Request, at kind: ProviderKind) async -> HTTPResponse {
    do {
      if let error = await state.injector.pushError { throw error }
      try checkClient(request)
      guard request.form["request_uri"] == nil else {
        throw ProtocolError("invalid_request", "A pushed request can't contain request_uri.", aadsts: 900144)
      }
      let uri = Self.requestURIPrefix + RandomString.token()
      await state.push(try request.form.bound(by: try await proof(of: request, at: kind)), as: uri)
      return .json(["request_uri": .string(uri), "expires_in": 60], status: 201)
    } catch let error as ProtocolError {
      return await refuse(error, request, at: kind)
    } catch {
      return HTTPResponse(statusCode: .internalServerError)
    }
  }

  /// The authorization request's parameters, or the pushed ones; they can be used once (RFC 9126 §7.3).
  func authorizationParameters(_ request: Request) async throws(AuthorizationError) -> Parameters {
    guard let uri = request.parameters["request_uri"] else {
      var metadata: JSONValue.Object = [:]
      await state.injector.apply(\.metadata, to: &metadata)
      guard metadata["require_pushed_authorization_requests"] != true else { throw .page(.notPushed) }
      return request.parameters
    }
    guard let pushed = await state.takePushed(uri), pushed["client_id"] == request.parameters["client_id"] else {
      throw .page(ProtocolError("invalid_request_uri", "The request_uri is unknown.", aadsts: 900144))
    }
    return pushed
  }
}

extension ProviderState {
  func push(_ parameters: Parameters, as uri: String) { pushed[uri] = parameters }

  func takePushed(_ uri: String) -> Parameters? { pushed.removeValue(forKey: uri) }
}

extension ProtocolError {
  static let notPushed = ProtocolError(
    "invalid_request",
    "Authorization requests must be pushed first.",
    aadsts: 900144
  )
}
