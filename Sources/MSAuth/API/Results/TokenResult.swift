public import FoundationEssentials

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
  /// When the access token expires.
  public var expiresOn: Date
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
  var key: DPoPKey?

  /// Makes a result, for tests of an application.
  ///
  /// - Parameters:
  ///   - accessToken: The access token.
  ///   - tokenType: The token's type.
  ///   - expiresOn: When the access token expires.
  ///   - scopes: The scopes granted.
  ///   - idToken: The ID token, if any.
  ///   - account: The token's account.
  ///   - tenantID: The tenant that issued it.
  ///   - authority: The authority for later silent calls.
  ///   - correlationID: The ID of the request.
  ///   - isFromCache: Whether the token came from the cache.
  public init(
    accessToken: String,
    tokenType: String = "Bearer",
    expiresOn: Date,
    scopes: [String],
    idToken: String? = nil,
    account: Account,
    tenantID: String? = nil,
    authority: Authority = .microsoftCommon,
    correlationID: String = "",
    isFromCache: Bool = false
  ) {
    self.accessToken = accessToken
    self.tokenType = tokenType
    self.expiresOn = expiresOn
    self.scopes = scopes
    self.idToken = idToken
    self.account = account
    self.tenantID = tenantID
    self.authority = authority
    self.correlationID = correlationID
    self.isFromCache = isFromCache
  }

  /// The value of an `Authorization` header.
  public var authorizationHeader: String { "\(tokenType) \(accessToken)" }

  /// The claims of ``idToken``, by name; empty without one.
  ///
  /// They were validated when the token arrived.
  public var idTokenClaims: JSONValue.Object {
    idToken.flatMap { try? IDToken.unverifiedClaims(Secret($0)) }?.all ?? [:]
  }

  /// When ``idToken`` expires; nil without one.
  public var idTokenExpiresOn: Date? {
    IDTokenClaims(idTokenClaims).expiresAt.map { Date(timeIntervalSince1970: TimeInterval($0)) }
  }
}

extension TokenResult {
  /// The result of a token in the cache.
  init(
    _ token: AccessTokenEntry,
    idToken: Secret?,
    account: Account,
    authority: Authority,
    key: DPoPKey?,
    correlationID: String,
    isFromCache: Bool
  ) {
    self.init(
      accessToken: token.secret.revealed,
      tokenType: token.tokenType,
      expiresOn: Date(timeIntervalSince1970: TimeInterval(token.expiresOn)),
      scopes: token.scopes,
      idToken: idToken?.revealed,
      account: account,
      tenantID: authority.isMicrosoft && !token.realm.isEmpty ? token.realm : nil,
      authority: authority,
      correlationID: correlationID,
      isFromCache: isFromCache
    )
    self.key = key
  }
}

extension TokenResult: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Whose token it is and until when, without the token.
  public var description: String {
    "TokenResult(\(account.username), expires \(expiresOn.formatted(.iso8601)), tokens [redacted])"
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Nothing, so that `dump` shows no token.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
