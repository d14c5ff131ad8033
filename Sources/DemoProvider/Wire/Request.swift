import FlyingFox
import Foundation
import MSAuthCore

struct Request: Sendable {
  /// In bytes.
  static let maximumBodySize = 1 << 20
  static let cookieName = "demo_session"

  var method: String
  var path: String
  var query: Parameters
  var form: Parameters
  var cookie: String?
  /// The token of `Authorization: Bearer` (RFC 6750 §2.1).
  var bearer: String?
  /// The token of `Authorization: DPoP` (RFC 9449 §7.1).
  var boundToken: String?
  /// FlyingFox keeps the last of several `DPoP` fields.
  var dpopProof: String?
  var hasBasicAuthorization: Bool
  /// Microsoft's `client-request-id`, which errors echo.
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

  /// Browsers send parameters in the query or in a form (OpenID Connect Core §3.1.2.1).
  var parameters: Parameters { method == "POST" ? form : query }

  var token: String? { bearer ?? boundToken }

  /// Whether the token has the `DPoP` scheme.
  var isBound: Bool { boundToken != nil }

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

/// The parameters of a query or a form, in order.
struct Parameters: Sendable {
  var pairs: [(name: String, value: String)]

  /// An invalid form has no parameters.
  init(decoding text: String) {
    pairs = (try? FormEncoding.decode(text)) ?? []
  }

  /// An empty value counts as absent (RFC 6749 §3.1).
  subscript(_ name: String) -> String? {
    pairs.first { $0.name == name && !$0.value.isEmpty }?.value
  }

  /// The items of a space-separated list.
  func words(_ name: String) -> [String] { self[name]?.split(separator: " ").map(String.init) ?? [] }

  /// A repeated name, forbidden by RFC 6749 §3.1 and §3.2.
  var repeated: String? {
    var seen: Set<String> = []
    return pairs.first { !seen.insert($0.name).inserted }?.name
  }
}

/// A request that the provider received.
package struct RecordedRequest: Sendable, Equatable {
  package struct Parameter: Sendable, Equatable {
    package var name: String
    package var value: String
  }

  package var method: String
  package var path: String
  /// First those of the query, then those of the form.
  package var parameters: [Parameter]
  /// The token of `Authorization: Bearer` or `DPoP`.
  package var bearer: String?
  package var dpopProof: String?
  package var status: Int

  package subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
}
