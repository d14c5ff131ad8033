import FlyingFox
import Foundation
import MSAuthCore

struct ProviderRequest: Sendable {
  /// In bytes.
  static let maximumBodySize = 1 << 20
  static let cookieName = "demo_session"

  var method: String
  var path: String
  var query: Parameters
  var form = Parameters(decoding: "")
  var json: JSONValue?
  var cookie: String?
  /// The lowercase scheme of `Authorization`, and what follows it.
  var authorization: (scheme: String, credentials: String)?
  /// FlyingFox keeps the last of several `DPoP` fields.
  var dpopProof: String?
  /// Microsoft's `client-request-id`, which errors echo.
  var correlationID: String?

  init(_ request: HTTPRequest) async throws {
    method = request.method.rawValue
    path = request.path
    query = Parameters(decoding: request.target.query())
    cookie = Self.cookie(in: request.headers[.cookie] ?? "")
    let authorization = (request.headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
    if authorization.count == 2 { self.authorization = (authorization[0].lowercased(), String(authorization[1])) }
    dpopProof = request.headers[HTTPHeader("DPoP")]
    correlationID = request.headers[HTTPHeader("client-request-id")].flatMap {
      UUID(uuidString: $0)?.uuidString.lowercased()
    }

    let mediaType = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
    let length = request.headers[.contentLength].flatMap { Int($0) } ?? 0
    guard (1...Self.maximumBodySize).contains(length) else { return }
    if mediaType == "application/json" { json = try? JSONValue(parsing: try await request.bodyData) }
    if mediaType == FormEncoding.mediaType {
      form = Parameters(decoding: String(decoding: try await request.bodyData, as: UTF8.self))
    }
  }

  /// Browsers send parameters in the query or in a form (OpenID Connect Core §3.1.2.1).
  var parameters: Parameters { method == "POST" ? form : query }

  /// The token of `Authorization: Bearer` (RFC 6750 §2.1).
  var bearerToken: String? { authorization?.scheme == "bearer" ? authorization?.credentials : nil }

  /// The bearer token, or the token of `Authorization: DPoP` (RFC 9449 §7.1).
  var headerToken: String? { isBound ? authorization?.credentials : bearerToken }

  var isBound: Bool { authorization?.scheme == "dpop" }

  func recorded(status: Int) -> RecordedRequest {
    RecordedRequest(
      method: method,
      path: path,
      parameters: query.pairs + form.pairs,
      headerToken: headerToken,
      dpopProof: dpopProof,
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

/// A request that the provider received.
package struct RecordedRequest: Sendable {
  package var method: String
  package var path: String
  /// First those of the query, then those of the form.
  package var parameters: [(name: String, value: String)]
  /// The token of `Authorization: Bearer` or `DPoP`.
  package var headerToken: String?
  package var dpopProof: String?
  package var status: Int

  package subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
}
