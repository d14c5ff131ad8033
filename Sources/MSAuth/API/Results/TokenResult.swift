public import OAuth

/// What a successful token request brings (MSAL: `MSALResult`).
///
/// Printing it shows no token.
public struct TokenResult: Sendable {
  /// The access token, to be sent as ``authorizationHeader`` and never logged.
  public var accessToken: String
  /// The token's type: `Bearer`, or `DPoP` for one that is bound to a key.
  ///
  /// With ``ClientConfiguration/usesDPoP`` it is always bound, and each request needs a proof:
  /// ``PublicClientApplication/dpopProof(method:url:token:nonce:)``.
  public var tokenType: String
  /// When the access token ends, in Unix seconds.
  public var expiresOn: Int64
  /// The scopes granted.
  public var scopes: [String]
  /// The ID token, where there is one.
  public var idToken: String?
  /// Whose token it is.
  public var account: Account
  /// The tenant that issued it.
  public var tenantID: String?
  /// The authority to use in later silent calls.
  public var authority: Authority
  /// The id that the request carried, for the provider's support.
  public var correlationID: String
  /// Whether the token came from the store, without a request.
  public var isFromCache: Bool
  /// The key that the access token is bound to.
  package var key: DPoPKey?

  /// The value of an `Authorization` header.
  public var authorizationHeader: String { "\(tokenType) \(accessToken)" }
}

extension TokenResult: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Whose token it is and until when, without the token.
  public var description: String { "TokenResult(\(account.username), expires \(expiresOn), tokens [redacted])" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Nothing, so that `dump` shows no token.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
