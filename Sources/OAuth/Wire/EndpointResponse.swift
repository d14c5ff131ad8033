import MSAuthCore

/// A response of one of the provider's JSON endpoints.
package struct EndpointResponse: Sendable {
  package let status: Int
  let body: [UInt8]
  private let mediaType: String?
  /// Seconds.
  private let retryAfter: Int64?

  package init(status: Int, mediaType: String? = nil, retryAfter: Int64? = nil, body: [UInt8]) {
    self.status = status
    self.mediaType = mediaType
    self.retryAfter = retryAfter
    self.body = body
  }

  /// The members of a successful response; throws the provider's error, or what else it returned.
  func fields(limit: Int, success: Set<Int> = [200], requiresMediaType: Bool = false) throws -> Fields {
    // RFC 6585 §6: a login page of the network.
    guard status != 511 else { throw Failure.unexpectedPage("HTTP status 511") }
    // The body of these doesn't concern the request (RFC 6585 §4).
    guard status < 500, status != 429 else {
      throw Failure.serverUnavailable(status: status, retryAfter: retryAfter)
    }
    let json = (try? JSONValue.object(parsing: body, options: .strict(maximumSize: limit)))
    // Errors first, whatever the status: some providers send them with 200.
    if status == 200 || (400...499).contains(status), let json, let error = ProviderError(json: json) {
      throw error
    }
    guard success.contains(status) else {
      // Following a redirect would send the code or the token elsewhere.
      guard !(300...399).contains(status) else {
        throw Failure.unexpectedPage("it is a redirect (HTTP status \(status)), which isn't followed")
      }
      throw Failure.invalidResponse("HTTP status \(status) without an OAuth error")
    }
    guard let json else {
      if Self.isPage(body) { throw Failure.unexpectedPage("it is a web page") }
      throw Failure.invalidResponse("it is not a JSON object with unique members")
    }
    // RFC 8259 §11, RFC 6839 §3.1.
    let type = mediaType?.lowercased() ?? "missing"
    guard !requiresMediaType || type == "application/json" || type.hasSuffix("+json") else {
      throw Failure.invalidResponse("its media type is \(mediaType ?? "missing"), not application/json")
    }
    return Fields(json, refusal: Failure.invalidResponse)
  }

  /// Whether a body is a page for a browser: JSON doesn't begin with `<`.
  static func isPage(_ body: [UInt8]) -> Bool {
    body.first { !"\u{FEFF} \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
  }
}
