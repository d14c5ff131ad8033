import OAuth
import Core
package import Transport

/// Requests to a provider or a resource: each has a proof where tokens are bound to a key, and a failure is an
/// ``AuthenticationError``.
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
    return try await send(request, provenBy: key)
  }

  /// Asks a resource with a token, as its type demands: alone (RFC 6750 §2.1), or with a proof (RFC 9449 §7.1).
  ///
  /// - Parameters:
  ///   - method: The method; only GET is sent again after a failure.
  ///   - url: The resource.
  ///   - accessToken: The token.
  ///   - key: The key that the token is bound to; nil for a bearer token.
  ///   - body: JSON to send, if any.
  /// - Returns: The response, whatever its status.
  /// - Throws: ``AuthenticationError`` if there is none; `OAuthError` if no proof can be made for the URL.
  func ask(
    _ method: HTTPRequest.Method,
    _ url: String,
    showing accessToken: Secret,
    boundTo key: DPoPKey?,
    body: Secret? = nil
  ) async throws -> HTTPResponse {
    var request = HTTPRequest(method, url, headers: [("Accept", "application/json")], body: body)
    if body != nil { request.headers.append(("Content-Type", "application/json")) }
    request.isRepeatable = method == .get
    if key == nil {
      request.bearer = accessToken
    } else {
      request.dpop = accessToken
    }
    return try await send(request, provenBy: key)
  }

  /// Sends a request, with a proof by the key if there is one.
  func send(_ request: HTTPRequest, provenBy key: DPoPKey? = nil) async throws -> HTTPResponse {
    if let key { return try await DPoPTransport(dependencies: self, key: key).send(request) }
    do {
      return try await transport.send(request)
    } catch {
      throw AuthenticationError(error)
    }
  }
}

/// Sends a request again where that may help and does no harm, as MSAL does.
package struct RetryingTransport: HTTPTransport {
  let base: any HTTPTransport
  let settings: HTTPSettings

  package init(base: any HTTPTransport, settings: HTTPSettings) {
    self.base = base
    self.settings = settings
  }

  package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    var request = request
    for _ in 0..<(request.isRepeatable ? settings.retryCount : 0) {
      do {
        let response = try await base.send(request)
        // What says when to come back is not asked earlier (RFC 9110 §10.2.3).
        guard (500...599).contains(response.status), response.header("Retry-After") == nil else { return response }
      } catch {
        // A request that was lost may have been heard: a code or a rotated refresh token is good once.
        guard error.kind == .unreachable, request.method == .get else { throw error }
      }
      // Cancelled, the next attempt fails at once and says so.
      try? await Task.sleep(for: settings.retryInterval)
      request = request.rebuild?() ?? request
    }
    return try await base.send(request)
  }
}
