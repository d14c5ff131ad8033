package import MSAuthCore

/// A response of one of the provider's JSON endpoints.
package struct EndpointResponse: Sendable {
  package let status: Int
  let body: [UInt8]
  /// Seconds.
  private let retryAfter: Int64?

  package init(status: Int, retryAfter: Int64? = nil, body: [UInt8]) {
    self.status = status
    self.retryAfter = retryAfter
    self.body = body
  }

  /// The members of a successful response, whatever its media type; throws the provider's error, or what else it returned.
  func fields(limit: Int) throws(AuthenticationError) -> Fields {
    // RFC 6585 §6: a login page of the network.
    guard status != 511 else { throw AuthenticationError.unexpectedPage("HTTP status 511") }
    // The body of these doesn't concern the request (RFC 6585 §4).
    guard !status.isTransientStatus else {
      throw AuthenticationError.serverUnavailable(status: status, retryAfter: retryAfter)
    }
    let json = (try? JSONValue.object(parsing: body, options: .strict(maximumSize: limit)))
    // Errors first, whatever the status: some providers send them with 200.
    if isSuccess || status.isRejectionStatus, let json, let error = ProviderError(json: json) {
      throw AuthenticationError(error)
    }
    guard isSuccess else {
      // Following a redirect would send the code or the token elsewhere.
      guard !status.isRedirectStatus else {
        throw AuthenticationError.unexpectedPage("it is a redirect (HTTP status \(status)), which isn't followed")
      }
      throw AuthenticationError.invalidResponse("HTTP status \(status) without an OAuth error")
    }
    guard let json else {
      if Self.isPage(body) { throw AuthenticationError.unexpectedPage("it is a web page") }
      throw AuthenticationError.invalidResponse("it isn't a JSON object with unique members")
    }
    return Fields(json, refusal: AuthenticationError.invalidResponse)
  }

  /// Throws if the response to a refresh rejects the refresh token in words that aren't OAuth's.
  package func checkRefresh() throws(AuthenticationError) {
    // RFC 6749 §5.2 has these two statuses; pages with others come from proxies, as 407 does.
    let isProvider = status == 400 || status == 401 || status.isRejectionStatus && status != 407 && !Self.isPage(body)
    guard isProvider, ProviderError(parsing: body) == nil else { return }
    let message =
      "sign in again: the provider rejected the refresh token (HTTP status \(status) without an OAuth error)"
    throw AuthenticationError(.interactionRequired, message, reason: .refreshTokenRefused, hint: .signIn)
  }

  var isSuccess: Bool { status.isSuccessStatus }

  /// Whether a body is a page for a browser: JSON doesn't begin with `<`.
  static func isPage(_ body: [UInt8]) -> Bool {
    body.first { !"\u{FEFF} \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
  }
}
