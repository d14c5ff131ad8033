public import FoundationEssentials

/// The result of a token request (MSAL: `MSALResult`).
///
/// Its description contains no token.
public struct TokenResult: Sendable {
  /// The access token, to be sent as ``authorizationHeader`` and never logged.
  public var accessToken: String
  /// The token's type: `Bearer`, or `DPoP` if it is bound to a key.
  ///
  /// With ``ClientConfiguration/usesDPoP`` it is always bound, and each request needs a proof:
  /// ``PublicClientApplication/dpopProof(method:url:token:nonce:)``.
  public var tokenType: String
  /// When the access token expires.
  public var expiresOn: Date
  /// The granted scopes.
  public var scopes: [String]
  /// The ID token.
  public var idToken: String?
  /// The account that the token is for.
  public var account: Account
  /// The tenant that issued the token.
  public var tenantID: String?
  /// The authority for later silent calls.
  public var authority = Authority.microsoftCommon
  /// The correlation ID of the request, for the provider's support; empty if the token is from the store and the call named
  /// none.
  public var correlationID = ""
  /// Whether the token is from the store, without a request.
  public var isFromCache = false
  /// The key that the access token is bound to.
  var key: DPoPKey?

  /// Creates a result, for tests of an application.
  public init(
    accessToken: String,
    tokenType: String = "Bearer",
    expiresOn: Date,
    scopes: [String],
    idToken: String? = nil,
    account: Account
  ) {
    self.accessToken = accessToken
    self.tokenType = tokenType
    self.expiresOn = expiresOn
    self.scopes = scopes
    self.idToken = idToken
    self.account = account
  }

  /// The value of an `Authorization` header.
  public var authorizationHeader: String { "\(tokenType) \(accessToken)" }

  /// The claims of ``idToken``, validated when the token was received; empty without one.
  ///
  /// `JSONValue` prints JSON, so `Data(JSONValue.object(claims).description.utf8)` is what a `JSONDecoder` reads.
  public var idTokenClaims: JSONValue.Object {
    idToken.flatMap { try? IDToken.unverifiedClaims(Secret($0)) }?.all ?? [:]
  }

  /// When ``idToken`` expires.
  public var idTokenExpiresOn: Date? {
    IDTokenClaims(idTokenClaims).expiresAt.map { Date(timeIntervalSince1970: TimeInterval($0)) }
  }

  /// Creates the result of a token in the cache's form.
  init(_ token: AccessTokenEntry, idToken: Secret?, account: Account, at authority: Authority, key: DPoPKey?) {
    accessToken = token.secret.revealed
    tokenType = token.tokenType
    expiresOn = Date(timeIntervalSince1970: TimeInterval(token.expiresOn))
    scopes = token.scopes
    self.idToken = idToken?.revealed
    self.account = account
    tenantID = authority.isMicrosoft && !token.realm.isEmpty ? token.realm : nil
    self.authority = authority
    self.key = key
  }
}

extension TokenResult: Redacted {
  /// The account and the expiry, without the token.
  public var description: String {
    "TokenResult(\(account.username), expires \(expiresOn.formatted(.iso8601)), tokens [redacted])"
  }
}

extension TokenResult {
  /// Returns the access token for a protocol without proofs; throws if the token is bound to a key.
  package func bearerToken() throws(AuthenticationError) -> String {
    guard tokenType.lowercased() == "bearer" else {
      let message = "the token is bound to a key, so it isn't a bearer token"
      let hint: Hint = "turn DPoP off for this client, and sign in again"
      throw AuthenticationError(.invalidParameter, message, reason: "token_bound", hint: hint)
    }
    // RFC 6750 §2.1 allows fewer characters; a space or a control character could end the token early.
    guard !accessToken.isEmpty, accessToken.utf8.allSatisfy(\.isASCIIVisible) else {
      let message = "the token has characters that are invalid in a bearer token (RFC 6750 §2.1)"
      throw AuthenticationError(.invalidResponse, message, reason: "token_not_printable")
    }
    return accessToken
  }

  /// Returns the ID token, for a service that requires it.
  package func requiredIDToken() throws(AuthenticationError) -> String {
    if let idToken { return idToken }
    let message = "there is no ID token for \(account.username.printable())"
    throw AuthenticationError(.interactionRequired, message, reason: "id_token_missing", hint: "\(signIn: ["openid"])")
  }
}
