package import MSAuthCore

extension AuthorizationRequest {
  /// Sends this request to the provider before the browser opens; the client authenticates as for tokens (RFC 9126 §2).
  package func pushedForm(
    to endpoint: String,
    authority: Authority,
    authentication: ClientAuthentication = .none
  ) throws(Failure) -> FormRequest {
    FormRequest(
      to: endpoint,
      fields: try parameters().filter { $0.name != "client_id" },
      clientID: clientID,
      authentication: authentication,
      diagnostics: ClientHeaders.fields(for: authority, correlationID: correlationID)
    )
  }

  /// The URL that the browser opens for a pushed request (RFC 9126 §4).
  package func url(metadata: ProviderMetadata, pushed: PushedAuthorizationResponse) throws(Failure) -> String {
    try EndpointQuery.url(
      metadata.authorizationEndpoint,
      adding: [("client_id", clientID), ("request_uri", pushed.requestURI)]
    )
  }
}

/// The response to a pushed authorization request (RFC 9126 §2.2).
package struct PushedAuthorizationResponse: Sendable, Equatable {
  package static let bodyLimit = 16 * 1024
  private static let requestURILimit = 2048

  /// The one-time reference to the request.
  package let requestURI: String
  /// Its lifetime, in seconds.
  package let expiresIn: Int64

  package init(parsing body: [UInt8], status: Int, retryAfter: Int64? = nil) throws {
    let success: Set = [201, 200]
    let json = try EndpointResponse.object(body, status: status, success: success, limit: Self.bodyLimit, retryAfter)
    let fields = Fields(json, refusal: Failure.invalidResponse)
    self.requestURI = try fields.required("request_uri", fields.token).revealed
    guard requestURI.utf8.count <= Self.requestURILimit else {
      throw Failure.invalidResponse("request_uri is longer than \(Self.requestURILimit) bytes")
    }
    self.expiresIn = try fields.lifetime("expires_in")
  }
}
