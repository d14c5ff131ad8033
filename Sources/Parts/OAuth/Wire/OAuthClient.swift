import FoundationEssentials
package import MSAuthCore

/// A client of one provider, as its requests identify it.
package struct OAuthClient: Sendable {
  let id: String
  let authority: Authority
  package var authentication: ClientAuthentication
  private let correlationID: String?

  package init(
    _ id: String,
    at authority: Authority,
    authentication: ClientAuthentication = .none,
    correlationID: String? = nil
  ) {
    self.id = id
    self.authority = authority
    self.authentication = authentication
    self.correlationID = correlationID
  }

  /// MSAL's diagnostic header fields, for Microsoft's endpoints.
  fileprivate var diagnostics: [(name: String, value: String)] {
    guard authority.isMicrosoft else { return [] }
    // A line break would begin another field.
    let correlationID = correlationID.flatMap { $0.utf8.allSatisfy(\.isASCIIVisible) ? $0 : nil }
    return (correlationID.map { [("client-request-id", $0)] } ?? []) + [
      ("x-client-SKU", "msauth"), ("x-client-Ver", Product.version), ("x-client-OS", "Linux"),
      // Retry-After and 429 are honored.
      ("x-ms-lib-capability", "retry-after, h429"),
    ]
  }

  /// Both parts form-encoded, then base64 (RFC 6749 §2.3.1).
  fileprivate var basicCredentials: Secret? {
    guard case .secretBasic(let secret) = authentication else { return nil }
    let pair = FormEncoding.encode(id) + ":" + FormEncoding.encode(secret.revealed)
    return Secret(Data(pair.utf8).base64EncodedString())
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

  /// Uses the method of the client's registration, else one that the provider lists.
  package init(secret: Secret?, method: String? = nil, metadata: ProviderMetadata) {
    guard let secret, method != "none" else {
      self = .none
      return
    }
    let methods = method.map { [$0] } ?? metadata.tokenEndpointAuthMethods
    self = methods.contains("client_secret_post") ? .secretPost(secret) : .secretBasic(secret)
  }
}

/// A form to post to one of the provider's endpoints, with the client's authentication (RFC 6749 §2.3).
///
/// Every endpoint authenticates the client as the token endpoint does (RFC 9126 §2, RFC 8628 §3.1, RFC 7009 §2.1).
package struct FormRequest: Sendable {
  package let url: String
  /// Header fields without secrets.
  package let headers: [(name: String, value: String)]
  /// For HTTP's `Basic` scheme.
  package let basicCredentials: Secret?
  package let body: Secret

  init(to url: String, _ fields: [(name: String, value: String)], from client: OAuthClient) {
    var form = [(name: "client_id", value: client.id)]
    if case .secretPost(let secret) = client.authentication { form.append(("client_secret", secret.revealed)) }
    self.url = url
    self.headers = client.diagnostics + [("Content-Type", FormEncoding.mediaType), ("Accept", "application/json")]
    self.basicCredentials = client.basicCredentials
    self.body = Secret(FormEncoding.encode(form + fields))
  }
}
