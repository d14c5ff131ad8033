import Core

/// What all of a provider's JSON endpoints have in common: statuses, errors, a single object.
enum EndpointResponse {
  /// Reads the object of a success, or throws what the provider answered instead.
  ///
  /// - Parameters:
  ///   - body: The response's body.
  ///   - status: Its HTTP status.
  ///   - success: The statuses of a success.
  ///   - limit: The maximum size of the body, in bytes.
  ///   - retryAfter: Its `Retry-After` field.
  /// - Returns: The object.
  /// - Throws: ``OAuthError/server(_:)`` for an OAuth error, ``OAuthError/serverUnavailable(status:retryAfter:)`` for
  ///   statuses that ask to come back later, ``OAuthError/invalidResponse(_:)`` for anything else.
  static func object(
    _ body: [UInt8],
    status: Int,
    success: Set<Int>,
    limit: Int,
    _ retryAfter: String?
  ) throws(OAuthError) -> JSON.Object {
    // RFC 6585 §6: the network wants a login of its own.
    guard status != 511 else { throw .unexpectedPage("HTTP status 511") }
    // RFC 6585 §4: the request itself may be right, and a body says nothing about it.
    guard status < 500, status != 429 else {
      throw .serverUnavailable(status: status, retryAfter: Lifetime.retryAfter(retryAfter))
    }
    let json = (try? JSON.object(parsing: body, options: .strict(maximumSize: limit)))
    // Errors first, whatever the status: some providers send them with 200.
    if status == 200 || (400...499).contains(status), let json, let error = OAuthErrorResponse(json: json) {
      throw .server(error)
    }
    guard success.contains(status) else {
      // Following a redirect would post the code or the token to another place.
      guard !(300...399).contains(status) else {
        throw .unexpectedPage("it redirects (HTTP status \(status)), which is not followed")
      }
      throw .invalidResponse("HTTP status \(status) without an OAuth error")
    }
    guard let json else {
      if isPage(body) { throw .unexpectedPage("it is a web page") }
      throw .invalidResponse("it is not one JSON object that names each member once")
    }
    return json
  }

  /// Whether a body is a page for a browser: no JSON begins with `<`.
  static func isPage(_ body: [UInt8]) -> Bool {
    body.first { !"\u{FEFF} \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
  }

  /// Whether a media type is JSON (RFC 8259 §11, RFC 6839 §3.1).
  static func isJSON(_ mediaType: String?) -> Bool {
    mediaType.map { $0.lowercased() == "application/json" || $0.lowercased().hasSuffix("+json") } ?? false
  }
}
