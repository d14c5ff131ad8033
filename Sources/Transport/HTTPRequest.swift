package import Core

/// A request to a provider.
package struct HTTPRequest: Sendable {
  /// The methods that a sign-in uses.
  package enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
  }

  package var method: Method
  /// The absolute URL.
  package var url: String
  /// Header fields in order, secrets not among them.
  package var headers: [(name: String, value: String)]
  /// Sent as `Authorization: Bearer …` (RFC 6750 §2.1).
  package var bearer: Secret?
  /// Sent as `Authorization: DPoP …` (RFC 9449 §7.1); the proof is among the header fields.
  package var dpop: Secret?
  /// Sent as `Authorization: Basic …`: the credentials in base64 (RFC 7617 §2).
  package var basic: Secret?
  /// The body, secret since a form carries codes and refresh tokens.
  package var body: Secret?
  /// Whether it may be sent again when the server failed; false for what is good once.
  package var isRepeatable = true
  /// Makes it anew for another attempt, where a server takes the same bytes once alone; nil when that fails.
  package var anew: (@Sendable () -> HTTPRequest?)?

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
