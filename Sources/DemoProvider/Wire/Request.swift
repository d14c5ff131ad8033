import FlyingFox
import Foundation
import Core

/// One request, taken apart.
struct Call: Sendable {
  /// A form is smaller than this, in bytes; reading more would only fill memory.
  static let largestBody = 1 << 20
  /// The cookie that names a browser's session.
  static let cookieName = "demo_session"

  var method: String
  var path: String
  var query: Parameters
  var form: Parameters
  /// The value of the session cookie.
  var cookie: String?
  /// The token of `Authorization: Bearer` (RFC 6750 §2.1).
  var bearer: String?
  /// The token of `Authorization: DPoP` (RFC 9449 §7.1).
  var boundToken: String?
  /// The proof of possession in `DPoP`; of several such fields the server below keeps the last.
  var proof: String?
  /// Whether the client tried to authenticate with `Authorization: Basic`.
  var hasBasicAuthorization: Bool
  /// Microsoft's `client-request-id`, which errors repeat.
  var correlationID: String?

  init(_ request: HTTPRequest) async throws {
    method = request.method.rawValue
    path = request.path
    query = Parameters(decoding: request.target.query())
    form = Parameters(decoding: "")
    cookie = Self.cookie(in: request.headers[.cookie] ?? "")
    let authorization = (request.headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
    let scheme = authorization.first?.lowercased()
    bearer = scheme == "bearer" ? authorization.last.map(String.init) : nil
    boundToken = scheme == "dpop" ? authorization.last.map(String.init) : nil
    proof = request.headers[HTTPHeader("DPoP")]
    hasBasicAuthorization = scheme == "basic"
    correlationID = request.headers[HTTPHeader("client-request-id")].flatMap {
      UUID(uuidString: $0)?.uuidString.lowercased()
    }

    let mediaType = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
    let length = request.headers[.contentLength].flatMap { Int($0) } ?? 0
    if mediaType == "application/x-www-form-urlencoded", (1...Self.largestBody).contains(length) {
      form = Parameters(decoding: String(decoding: try await request.bodyData, as: UTF8.self))
    }
  }

  /// The parameters of a page's request, which may come either way (OpenID Connect Core §3.1.2.1).
  var parameters: Parameters { method == "POST" ? form : query }

  /// The token that was shown, in whichever way.
  var token: String? { bearer ?? boundToken }

  /// Whether it was shown as one that is bound to a key.
  var isBound: Bool { boundToken != nil }

  /// What the record keeps of it.
  func recorded(status: Int) -> RecordedRequest {
    RecordedRequest(
      method: method,
      path: path,
      parameters: (query.pairs + form.pairs).map { .init(name: $0.name, value: $0.value) },
      bearer: token,
      proof: proof,
      status: status
    )
  }

  private static func cookie(in header: String) -> String? {
    header.split(separator: ";").lazy
      .map { $0.split(separator: "=", maxSplits: 1) }
      .first { $0.count == 2 && $0[0].trimmingCharacters(in: .whitespaces) == cookieName }
      .map { $0[1].trimmingCharacters(in: .whitespaces) }
  }
}
