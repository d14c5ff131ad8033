package import Core

extension AuthorizationRequest {
  /// The form that pushes this request to the provider before the browser opens (RFC 9126 §2.1).
  ///
  /// The client authenticates as at the token endpoint (RFC 9126 §2).
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

  /// The URL that the browser opens after the request was pushed (RFC 9126 §4).
  package func url(metadata: ProviderMetadata, pushed: PushedAuthorizationResponse) throws(Failure) -> String {
    try EndpointQuery.url(
      metadata.authorizationEndpoint,
      adding: [("client_id", clientID), ("request_uri", pushed.requestURI)]
    )
  }
}

/// The provider's answer to a pushed authorization request (RFC 9126 §2.2).
package struct PushedAuthorizationResponse: Sendable, Equatable {
  /// The answer has two members.
  package static let bodyLimit = 16 * 1024
  private static let requestURILimit = 2048

  /// What stands for the request, to be used once.
  package let requestURI: String
  /// How long it can be used, in seconds.
  package let expiresIn: Int64

  /// Reads the answer.
  package init(parsing body: [UInt8], status: Int, retryAfter: Int64? = nil) throws {
    let json = try EndpointResponse.object(
      body,
      status: status,
      success: [201, 200],
      limit: Self.bodyLimit,
      retryAfter
    )
    guard let uri = json["request_uri"]?.string, (1...Self.requestURILimit).contains(uri.utf8.count),
      uri.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw Failure.invalidResponse("request_uri is missing or no URI") }
    guard let lifetime = Lifetime.seconds(json["expires_in"]), lifetime > 0 else {
      throw Failure.invalidResponse("expires_in is missing or no positive number")
    }
    self.requestURI = uri
    self.expiresIn = lifetime
  }
}
