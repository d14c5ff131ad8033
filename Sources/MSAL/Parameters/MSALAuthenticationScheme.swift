/// How an access token is sent.
public enum MSALAuthScheme: UInt, Sendable {
  /// As a bearer token (RFC 6750).
  case bearer
  /// Bound to a key, as a signed HTTP request.
  case pop
}

/// A scheme for sending access tokens.
public protocol MSALAuthenticationSchemeProtocol {
  var scheme: MSALAuthScheme { get }
}

/// The method of the HTTP request that a bound token is for.
public enum MSALHttpMethod: UInt, Sendable {
  // The names are MSAL's, as Swift sees them.
  case GET
  case HEAD
  case POST
  case PUT
  case DELETE
  case CONNECT
  case OPTIONS
  case TRACE
  case PATCH
}

/// A signed HTTP request with a token that is bound to a key, which is not available on Linux.
///
/// The class exists so that shared code compiles. A token request with it fails with
/// ``MSALInternalError/invalidParameter``, and the arguments are not used. MSAL keeps such keys in the Secure Enclave or
/// the keychain; a key in a file beside the tokens would protect nothing.
public final class MSALAuthenticationSchemePop: NSObject, MSALAuthenticationSchemeProtocol {
  public var scheme: MSALAuthScheme { .pop }

  public init(
    httpMethod: MSALHttpMethod,
    requestUrl: URL,
    nonce: String?,
    additionalParameters: [AnyHashable: Any]?
  ) {
    super.init()
  }
}

/// A bearer token: any holder of the token can use it (RFC 6750).
public final class MSALAuthenticationSchemeBearer: NSObject, MSALAuthenticationSchemeProtocol, Sendable {
  public var scheme: MSALAuthScheme { .bearer }

  public override init() { super.init() }
}
