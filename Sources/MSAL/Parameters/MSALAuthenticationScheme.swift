/// How an access token is sent.
public enum MSALAuthScheme: UInt, Sendable {
  /// As a bearer token (RFC 6750).
  case bearer
  /// Bound to a key, as a signed HTTP request.
  case pop
}

/// A scheme for sending access tokens.
public protocol MSALAuthenticationSchemeProtocol {
  /// The scheme.
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

/// A signed HTTP request with a token that is bound to a key, which is not available on Linux.
///
/// The class exists so that shared code compiles. A token request with it fails with
/// ``MSALInternalError/invalidParameter``, and the arguments are not used. MSAL keeps such keys in the Secure Enclave or
/// the keychain; a key in a file beside the tokens would protect nothing.
public final class MSALAuthenticationSchemePop: NSObject, MSALAuthenticationSchemeProtocol {
  /// Always pop.
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
  /// Always bearer.
  public var scheme: MSALAuthScheme { .bearer }

  public override init() { super.init() }
}
