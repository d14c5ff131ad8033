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

/// The usual way: whoever has the token may use it.
public final class MSALAuthenticationSchemeBearer: NSObject, MSALAuthenticationSchemeProtocol, Sendable {
  /// Always bearer.
  public var scheme: MSALAuthScheme { .bearer }

  /// Makes the scheme.
  public override init() {
    super.init()
  }
}
