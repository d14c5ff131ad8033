public import Foundation

/// How an access token is sent.
public enum MSALAuthScheme: UInt, Sendable {
  /// As a bearer token (RFC 6750).
  case bearer
  /// Bound to a key, as a signed HTTP request.
  case pop
}

/// A way of sending an access token.
public protocol MSALAuthenticationSchemeProtocol {
  /// Which way it is.
  var scheme: MSALAuthScheme { get }
}

/// The method of the HTTP request that a bound token is for.
public enum MSALHttpMethod: UInt, Sendable {
  // The names are MSAL's, as Swift sees them.
  /// GET.
  case GET
  /// HEAD.
  case HEAD
  /// POST.
  case POST
  /// PUT.
  case PUT
  /// DELETE.
  case DELETE
  /// CONNECT.
  case CONNECT
  /// OPTIONS.
  case OPTIONS
  /// TRACE.
  case TRACE
  /// PATCH.
  case PATCH
}

/// A token that is bound to a key, which does not exist on Linux: a request that asks for it fails with
/// ``MSALInternalError/invalidParameter``.
///
/// MSAL keeps such keys in the Secure Enclave or the keychain; a key beside the tokens in a file would protect nothing.
public final class MSALAuthenticationSchemePop: NSObject, MSALAuthenticationSchemeProtocol {
  /// Always pop.
  public var scheme: MSALAuthScheme { .pop }

  /// Makes the scheme.
  ///
  /// - Parameters:
  ///   - httpMethod: The method of the request that the token is for.
  ///   - requestUrl: Its URL.
  ///   - nonce: The server's nonce.
  ///   - additionalParameters: More for the signed request.
  public init(
    httpMethod: MSALHttpMethod,
    requestUrl: URL,
    nonce: String?,
    additionalParameters: [AnyHashable: Any]?
  ) {
    super.init()
  }
}

/// The usual way: whoever has the token may use it.
public final class MSALAuthenticationSchemeBearer: NSObject, MSALAuthenticationSchemeProtocol, Sendable {
  /// Always bearer.
  public var scheme: MSALAuthScheme { .bearer }

  /// Makes the scheme.
  public override init() {
    super.init()
  }
}
