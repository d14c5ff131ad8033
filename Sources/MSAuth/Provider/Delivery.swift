import OAuth
import Core
import Transport

extension HTTPTransport {
  /// Sends a request; a failure becomes an ``AuthenticationError``.
  func deliver(_ request: HTTPRequest) async throws -> HTTPResponse {
    do {
      return try await send(request)
    } catch {
      throw AuthenticationError(error)
    }
  }
}

extension Dependencies {
  /// Posts a form to the provider.
  ///
  /// - Parameters:
  ///   - form: The form with the client's authentication.
  ///   - key: The key to send a proof by, if tokens are to be bound to one (RFC 9449 §5, §10.1).
  ///   - isRepeatable: Whether it may be sent again after the server failed; false for what can be used once.
  /// - Returns: The response, whatever its status.
  /// - Throws: ``AuthenticationError`` if there is none.
  func post(_ form: FormRequest, provenBy key: DPoPKey? = nil, isRepeatable: Bool = true) async throws -> HTTPResponse {
    var request = HTTPRequest(
      .post,
      form.url,
      headers: form.headers,
      basic: form.basicCredentials,
      body: form.body
    )
    request.isRepeatable = isRepeatable
    return try await deliver(request, provenBy: key)
  }
}
