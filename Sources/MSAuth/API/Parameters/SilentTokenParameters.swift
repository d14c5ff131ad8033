/// What to ask for without a person (MSAL: `MSALSilentTokenParameters`).
public struct SilentTokenParameters: Sendable {
  /// The scopes that the access token must have.
  public var scopes: [String]
  /// Whose token.
  public var account: Account
  /// The authority for this call, instead of the configured one.
  public var authority: Authority?
  /// Whether to renew even if the stored token is good.
  public var forceRefresh: Bool
  /// How many seconds of life the token must have left, up to ``longestValidity``; nil for the configured buffer.
  public var minimumValidity: Int64?
  /// A claims request as JSON; with it the stored access token is not used.
  public var claims: String?
  /// The resource that the token is for (RFC 8707); with it the stored access token, which may be for another, is not
  /// used.
  public var resource: String?
  /// Further parameters of the token endpoint's address, at Microsoft (MSAL: `extraQueryParameters`); none may replace one
  /// of msauth's, or stand for one that has a property.
  public var extraQueryParameters: [(name: String, value: String)]
  /// Sent along to Microsoft and shown in its errors; nil makes a new one.
  public var correlationID: String?

  /// The longest that ``minimumValidity`` may be, in seconds: a year, which no access token lives.
  public static let longestValidity: Int64 = 366 * 24 * 60 * 60

  /// Makes parameters with MSAL's defaults.
  ///
  /// - Parameters:
  ///   - scopes: The scopes that the access token must have.
  ///   - account: Whose token.
  public init(scopes: [String], account: Account) {
    self.scopes = scopes
    self.account = account
    self.forceRefresh = false
    self.extraQueryParameters = []
  }
}
