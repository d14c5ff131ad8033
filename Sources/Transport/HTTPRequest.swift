package import Core

/// A request to a provider.
package struct HTTPRequest: Sendable {
  /// The methods that a sign-in uses, and those of a resource.
  package enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case patch = "PATCH"
    case put = "PUT"
    case delete = "DELETE"
  }

  package var method: Method
  /// The absolute URL.
  package var url: String
  /// Header fields in order, without secrets.
  package var headers: [(name: String, value: String)]
  /// Sent as `Authorization: Bearer …` (RFC 6750 §2.1).
  package var bearer: Secret?
  /// Sent as `Authorization: DPoP …` (RFC 9449 §7.1); the proof is among the header fields.
  package var dpop: Secret?
  /// Sent as `Authorization: Basic …`: the credentials in base64 (RFC 7617 §2).
  package var basic: Secret?
  /// The body, secret since a form carries codes and refresh tokens.
  package var body: Secret?
  /// Whether it may be sent again when the server failed; false for what is valid once.
  package var isRepeatable = true
  /// The largest body of a response, in bytes; nil for the transport's limit.
  package var maximumResponseBytes: Int?
  /// Builds the request for another attempt, where a server accepts the same bytes only once; returns nil when that fails.
  package var rebuild: (@Sendable () -> HTTPRequest?)?

  package init(
    _ method: Method,
    _ url: String,
    headers: [(name: String, value: String)] = [],
    bearer: Secret? = nil,
    basic: Secret? = nil,
    body: Secret? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.bearer = bearer
    self.basic = basic
    self.body = body
  }
}

extension HTTPRequest {
  /// The header lines in libcurl's format, checked so that no value can begin another line (RFC 9110 §5.5).
  func headerLines(for destination: WebURL) throws(Failure) -> [String] {
    func refusal(_ reason: String) -> Failure {
      Failure(.urlRefused, host: destination.name, reason)
    }
    var lines: [String] = []
    for (name, value) in headers {
      guard !name.isEmpty, name.utf8.allSatisfy(\.isHTTPTokenCharacter) else {
        throw refusal("a header field's name is malformed: \(name.printable(limit: 40))")
      }
      guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
        throw refusal("the header field \(name) has a control character")
      }
      // libcurl reads "Name:" as an order to send no such field, and "Name;" as an empty value.
      lines.append(value.allSatisfy { $0 == " " || $0 == "\t" } ? "\(name);" : "\(name): \(value)")
    }
    for (scheme, credentials) in [("Bearer", bearer), ("DPoP", dpop), ("Basic", basic)] {
      guard let credentials else { continue }
      // b64token (RFC 6750 §2.1) is narrower still; servers issue tokens outside of it.
      guard !credentials.isEmpty, credentials.revealed.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw refusal("the \(scheme) credentials have characters that no header field may have")
      }
      lines.append("Authorization: \(scheme) \(credentials.revealed)")
    }
    // Older versions send `Expect: 100-continue` before a body of one kilobyte, and wait a second for the response.
    lines.append("Expect:")
    return lines
  }
}
