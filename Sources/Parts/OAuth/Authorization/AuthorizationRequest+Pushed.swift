package import MSAuthCore

extension AuthorizationRequest {
  /// Sends this request to the provider before the browser opens; the client authenticates as for tokens (RFC 9126 §2).
  package func pushedForm(to endpoint: String, from client: OAuthClient) throws(AuthenticationError) -> FormRequest {
    FormRequest(to: endpoint, try parameters().filter { $0.name != "client_id" }, from: client)
  }

  /// The URL that the browser opens for a pushed request, with the provider's reference to it (RFC 9126 §2.2, §4).
  package func url(metadata: ProviderMetadata, pushed response: EndpointResponse) throws(AuthenticationError) -> String
  {
    let fields = try response.fields(limit: Self.pushedBodyLimit)
    let requestURI = try fields.required("request_uri", fields.token).revealed
    guard requestURI.utf8.count <= Self.requestURILimit else {
      throw AuthenticationError.invalidResponse("request_uri is longer than \(Self.requestURILimit) bytes")
    }
    let parameters = [(name: "client_id", value: clientID), ("request_uri", requestURI)]
    return try EndpointQuery.url(metadata.authorizationEndpoint, adding: parameters)
  }

  private static let pushedBodyLimit = 16 * 1024
  private static let requestURILimit = 2048
}
