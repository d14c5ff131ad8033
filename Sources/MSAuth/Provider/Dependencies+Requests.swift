import FoundationEssentials
package import MSAuthTransport

/// Requests to a provider or a resource, with a proof if tokens are bound to a key.
extension Dependencies {
  func post(
    _ form: FormRequest,
    provenBy key: DPoPKey? = nil,
    isRepeatable: Bool,
    mustComplete: Bool = false
  ) async throws(AuthenticationError) -> EndpointResponse {
    var request = HTTPRequest(.post, form.url, headers: form.headers, body: form.body)
    request.authorization = form.basicCredentials.map { ("Basic", $0) }
    (request.isRepeatable, request.mustComplete) = (isRepeatable, mustComplete)
    return read(try await send(request, provenBy: key))
  }

  /// Sends a token to a resource: alone (RFC 6750 §2.1), or with a proof (RFC 9449 §7.1).
  func send(_ request: HTTPRequest, with accessToken: Secret, boundTo key: DPoPKey?) async throws(AuthenticationError)
    -> HTTPResponse
  {
    var request = request
    request.authorization = ((key == nil ? TokenType.bearer : .dpop).rawValue, accessToken)
    return try await send(request, provenBy: key)
  }

  package func fetch(_ url: String, what: String) async throws(AuthenticationError) -> HTTPResponse {
    let response = try await sendWithinOrigin(.json(url))
    let status = response.status
    if status.isSuccessStatus { return response }
    // Entra reports an unknown tenant here, with an error of the token endpoint; others' bodies may look like one.
    if status.isRejectionStatus, let rejection = ProviderError(parsing: response.body), !rejection.codes.isEmpty {
      throw AuthenticationError(rejection).with { $0.httpStatus = status }
    }
    let hint: Hint? = status == 404 ? "check the authority: \(url) doesn't exist" : nil
    throw AuthenticationError(unexpected: response, from: url, what: what, hint: hint)
  }

  /// Sends a request, and follows one redirect to another path of the same origin.
  package func sendWithinOrigin(_ request: HTTPRequest) async throws(AuthenticationError) -> HTTPResponse {
    let response = try await transport.send(request)
    // After 301 to 303, a POST may become a GET (RFC 9110 §15.4).
    let isFollowed = request.method == .get ? response.status.isRedirectStatus : [307, 308].contains(response.status)
    guard isFollowed, let location = response.header("Location"),
      let target = URL(string: location, relativeTo: URL(string: request.url))?.absoluteString,
      let origin = try? WebURL(target, .request).origin, (try? WebURL(request.url, .request).origin) == origin
    else { return response }
    var request = request
    request.url = target
    return try await transport.send(request)
  }

  package func read(_ response: HTTPResponse) -> EndpointResponse {
    EndpointResponse(status: response.status, retryAfter: response.retryAfter(now: clock.now()), body: response.body)
  }

  package func send(_ request: HTTPRequest, provenBy key: DPoPKey? = nil) async throws(AuthenticationError)
    -> HTTPResponse
  {
    if let key { return try await DPoPTransport(dependencies: self, key: key).send(request) }
    return try await transport.send(request)
  }
}

extension HTTPResponse {
  /// The seconds to wait before the next request (RFC 9110 §10.2.3).
  package func retryAfter(now: UnixTime) -> Int64? {
    Lifetime.retryAfter(header("Retry-After"), date: header("Date"), now: now)
  }
}

extension HTTPRequest {
  /// Requests a document.
  package static func json(_ url: String) -> HTTPRequest {
    HTTPRequest(.get, url, headers: [("Accept", "application/json")])
  }
}
