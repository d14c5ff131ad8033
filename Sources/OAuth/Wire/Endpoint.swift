import FoundationEssentials
package import Core

/// A form that is posted to one of the provider's endpoints, with the client's authentication (RFC 6749 §2.3).
///
/// The token endpoint's authentication holds for pushed requests (RFC 9126 §2), device authorization (RFC 8628 §3.1) and
/// revocation (RFC 7009 §2.1) too.
package struct FormRequest: Sendable {
  /// Where the form is posted.
  package let url: String
  /// Header fields that are no secrets.
  package let headers: [(name: String, value: String)]
  /// The credentials of HTTP's `Basic` scheme, if the client authenticates that way.
  package let basicCredentials: Secret?
  /// The form, of ``FormEncoding/mediaType``.
  package let body: Secret

  /// Makes a request.
  package init(
    to url: String,
    fields: [(name: String, value: String)],
    clientID: String,
    authentication: ClientAuthentication,
    diagnostics: [(name: String, value: String)] = []
  ) {
    var form = [(name: "client_id", value: clientID)]
    if case .secretPost(let secret) = authentication { form.append(("client_secret", secret.revealed)) }
    self.url = url
    self.headers = diagnostics + [("Content-Type", FormEncoding.mediaType), ("Accept", "application/json")]
    self.basicCredentials = authentication.basicCredentials(clientID: clientID)
    self.body = Secret(FormEncoding.encode(form + fields))
  }
}

/// How a client authenticates at the token endpoint (OpenID Connect Core §9).
///
/// A native application can keep no secret (RFC 8252 §8.5), so `none` is the rule. Some providers give one to every
/// registration and demand it all the same.
package enum ClientAuthentication: Sendable, Equatable {
  /// The client id alone.
  case none
  /// `client_secret_post`: in the form.
  case secretPost(Secret)
  /// `client_secret_basic`: in the `Authorization` field (RFC 6749 §2.3.1).
  case secretBasic(Secret)

  /// Takes the method that the provider's metadata offers; `client_secret_basic` if it names none.
  package init(secret: Secret?, metadata: ProviderMetadata) {
    guard let secret else {
      self = .none
      return
    }
    self = metadata.tokenEndpointAuthMethods.contains("client_secret_post") ? .secretPost(secret) : .secretBasic(secret)
  }

  /// The credentials of HTTP's `Basic` scheme: both parts form-encoded, then base64 (RFC 6749 §2.3.1).
  func basicCredentials(clientID: String) -> Secret? {
    guard case .secretBasic(let secret) = self else { return nil }
    let pair = FormEncoding.encode(clientID) + ":" + FormEncoding.encode(secret.revealed)
    return Secret(Data(pair.utf8).base64EncodedString())
  }
}

/// MSAL's diagnostic header fields, for requests to Microsoft's endpoints.
package enum ClientHeaders {
  /// The version of msauth, which Microsoft's logs record.
  package static let version = "0.1.0"

  /// The fields that go with a request to any of a provider's endpoints.
  package static func fields(for authority: Authority, correlationID: String?) -> [(name: String, value: String)] {
    guard authority.isMicrosoft else { return [] }
    var fields: [(name: String, value: String)] = [
      ("x-client-SKU", "msauth"),
      ("x-client-Ver", version),
      ("x-client-OS", "Linux"),
      // We honour Retry-After and 429.
      ("x-ms-lib-capability", "retry-after, h429"),
    ]
    // A line break would end the value and begin another field.
    if let correlationID, correlationID.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
      fields.insert(("client-request-id", correlationID), at: 0)
    }
    return fields
  }
}

/// What all of a provider's JSON endpoints have in common: statuses, errors, a single object.
enum EndpointResponse {
  /// Reads the object of a success, or throws what the provider answered instead.
  static func object(
    _ body: [UInt8],
    status: Int,
    success: Set<Int>,
    limit: Int,
    _ retryAfter: Int64?
  ) throws -> JSON.Object {
    // RFC 6585 §6: the network wants a login of its own.
    guard status != 511 else { throw Failure.unexpectedPage("HTTP status 511") }
    // RFC 6585 §4: the request itself may be right, and a body says nothing about it.
    guard status < 500, status != 429 else {
      throw Failure.serverUnavailable(status: status, retryAfter: retryAfter)
    }
    let json = (try? JSON.object(parsing: body, options: .strict(maximumSize: limit)))
    // Errors first, whatever the status: some providers send them with 200.
    if status == 200 || (400...499).contains(status), let json, let error = ProviderError(json: json) {
      throw error
    }
    guard success.contains(status) else {
      // Following a redirect would post the code or the token to another place.
      guard !(300...399).contains(status) else {
        throw Failure.unexpectedPage("it redirects (HTTP status \(status)), which is not followed")
      }
      throw Failure.invalidResponse("HTTP status \(status) without an OAuth error")
    }
    guard let json else {
      if isPage(body) { throw Failure.unexpectedPage("it is a web page") }
      throw Failure.invalidResponse("it is not one JSON object that names each member once")
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
