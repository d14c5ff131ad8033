package import MSAuthTransport

extension PublicClientApplication {
  /// The limit of a response in memory, in bytes.
  package static let maximumResponseSize = 64 << 20

  /// Sends any request to a resource, with a proof if the token is bound to a key.
  ///
  /// Without a token, to an address that a resource redirected to.
  package func transfer(
    _ request: HTTPRequest,
    with token: TokenResult?
  ) async throws(AuthenticationError) -> HTTPResponse {
    var request = request
    request.maximumResponseBytes = Self.maximumResponseSize
    if let token {
      let scheme: TokenType = token.key == nil ? .bearer : .dpop
      request.authorization = (scheme.rawValue, Secret(token.accessToken))
    }
    do {
      return try await context.dependencies.send(request, provenBy: token?.key)
    } catch {
      var error = error
      if error.reason == .responseTooLarge {
        error.hint = "request less at a time, with a query such as $top=100 or $select=id,subject"
      }
      throw error
    }
  }
}
