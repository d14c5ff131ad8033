import FlyingFox
import Foundation
import Core

/// The parts of one request.
struct Request: Sendable {
  /// The largest form, in bytes.
  static let maximumBodySize = 1 << 20
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
  /// The value of the `DPoP` field; FlyingFox keeps the last of several fields.
  var dpopProof: String?
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
    dpopProof = request.headers[HTTPHeader("DPoP")]
    hasBasicAuthorization = scheme == "basic"
    correlationID = request.headers[HTTPHeader("client-request-id")].flatMap {
      UUID(uuidString: $0)?.uuidString.lowercased()
    }

    let mediaType = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
    let length = request.headers[.contentLength].flatMap { Int($0) } ?? 0
    if mediaType == "application/x-www-form-urlencoded", (1...Self.maximumBodySize).contains(length) {
      form = Parameters(decoding: String(decoding: try await request.bodyData, as: UTF8.self))
    }
  }

  /// The parameters of a page's request, which may come either way (OpenID Connect Core §3.1.2.1).
  var parameters: Parameters { method == "POST" ? form : query }

  /// The access token, with either scheme.
  var token: String? { bearer ?? boundToken }

  /// Whether the token came with the `DPoP` scheme.
  var isBound: Bool { boundToken != nil }

  /// The record's entry.
  func recorded(status: Int) -> RecordedRequest {
    RecordedRequest(
      method: method,
      path: path,
      parameters: (query.pairs + form.pairs).map { .init(name: $0.name, value: $0.value) },
      bearer: token,
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

/// The parameters of a query or a form, in their order.
struct Parameters: Sendable {
  var pairs: [(name: String, value: String)]

  /// Decodes a form; one that is invalid has no parameters.
  init(decoding text: String) {
    pairs = (try? FormEncoding.decode(text)) ?? []
  }

  /// The value of that name; an empty one counts as absent (RFC 6749 §3.1).
  subscript(_ name: String) -> String? {
    pairs.first { $0.name == name && !$0.value.isEmpty }?.value
  }

  /// The items of a space-separated list.
  func words(_ name: String) -> [String] { self[name]?.split(separator: " ").map(String.init) ?? [] }

  /// A repeated name, which RFC 6749 §3.1 and §3.2 forbid.
  var repeated: String? {
    var seen: Set<String> = []
    return pairs.first { !seen.insert($0.name).inserted }?.name
  }
}

/// A request that the provider received, for tests of what a client did.
package struct RecordedRequest: Sendable, Equatable {
  /// A parameter of the query or of a form.
  package struct Parameter: Sendable, Equatable {
    package var name: String
    package var value: String
  }

  package var method: String
  package var path: String
  /// Those of the query, then those of the form, in their order.
  package var parameters: [Parameter]
  /// The token of `Authorization: Bearer` or `DPoP`, if any.
  package var bearer: String?
  /// The DPoP proof, if any.
  package var dpopProof: String?
  /// The response's status.
  package var status: Int

  /// The first parameter of that name.
  package subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
}
