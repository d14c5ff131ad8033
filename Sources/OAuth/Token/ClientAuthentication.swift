import FoundationEssentials
package import Core

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
  ///
  /// - Parameters:
  ///   - secret: The registration's secret; nil for a client without one.
  ///   - metadata: The provider's.
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
