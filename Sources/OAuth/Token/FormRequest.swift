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
  ///
  /// - Parameters:
  ///   - url: The endpoint.
  ///   - fields: The form without the client's identifier and authentication.
  ///   - clientID: The app's registration.
  ///   - authentication: How the client authenticates.
  ///   - diagnostics: MSAL's diagnostic header fields; see ``ClientHeaders``.
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
