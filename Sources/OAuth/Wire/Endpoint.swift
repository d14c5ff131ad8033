import FoundationEssentials
package import MSAuthCore

/// A form to post to one of the provider's endpoints, with the client's authentication (RFC 6749 §2.3).
///
/// All of them authenticate as the token endpoint does (RFC 9126 §2, RFC 8628 §3.1, RFC 7009 §2.1).
package struct FormRequest: Sendable {
  package let url: String
  /// Header fields without secrets.
  package let headers: [(name: String, value: String)]
  /// For HTTP's `Basic` scheme.
  package let basicCredentials: Secret?
  package let body: Secret

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
/// A native application can't keep a secret (RFC 8252 §8.5), but some providers issue and require one anyway.
package enum ClientAuthentication: Sendable, Equatable {
  /// Only the client ID.
  case none
  /// `client_secret_post`: in the form.
  case secretPost(Secret)
  /// `client_secret_basic`: in the `Authorization` field (RFC 6749 §2.3.1).
  case secretBasic(Secret)

  package init(secret: Secret?, metadata: ProviderMetadata) {
    guard let secret else {
      self = .none
      return
    }
    self = metadata.tokenEndpointAuthMethods.contains("client_secret_post") ? .secretPost(secret) : .secretBasic(secret)
  }

  /// Both parts form-encoded, then base64 (RFC 6749 §2.3.1).
  func basicCredentials(clientID: String) -> Secret? {
    guard case .secretBasic(let secret) = self else { return nil }
    let pair = FormEncoding.encode(clientID) + ":" + FormEncoding.encode(secret.revealed)
    return Secret(Data(pair.utf8).base64EncodedString())
  }
}

/// MSAL's diagnostic header fields, for requests to Microsoft's endpoints.
package enum ClientHeaders {
  package static let version = "0.1.0"

  package static func fields(for authority: Authority, correlationID: String?) -> [(name: String, value: String)] {
    guard authority.isMicrosoft else { return [] }
    var fields: [(name: String, value: String)] = [
      ("x-client-SKU", "msauth"),
      ("x-client-Ver", version),
      ("x-client-OS", "Linux"),
      // Retry-After and 429 are honored.
      ("x-ms-lib-capability", "retry-after, h429"),
    ]
    // A line break would begin another field.
    if let correlationID, correlationID.utf8.allSatisfy(\.isASCIIVisible) {
      fields.insert(("client-request-id", correlationID), at: 0)
    }
    return fields
  }
}

/// What the responses of all JSON endpoints have in common.
enum EndpointResponse {
  /// The object of a successful response; throws the provider's error, or what else it returned.
  static func object(
    _ body: [UInt8],
    status: Int,
    success: Set<Int> = [200],
    limit: Int,
    _ retryAfter: Int64?
  ) throws -> JSONValue.Object {
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
      if isPage(body) { throw Failure.unexpectedPage("it is a web page") }
      throw Failure.invalidResponse("it is not a JSON object with unique members")
    }
    return json
  }

  /// Whether a body is a page for a browser: JSON doesn't begin with `<`.
  static func isPage(_ body: [UInt8]) -> Bool {
    body.first { !"\u{FEFF} \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
  }

  static func requireJSON(_ mediaType: String?) throws(Failure) {
    // RFC 8259 §11, RFC 6839 §3.1.
    let type = mediaType?.lowercased()
    guard type == "application/json" || type?.hasSuffix("+json") == true else {
      throw .invalidResponse("its media type is \(mediaType ?? "missing"), not application/json")
    }
  }
}
