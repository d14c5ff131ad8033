public import OAuth

/// What to ask for without opening a browser (MSAL: `MSALSilentTokenParameters`).
public struct SilentTokenParameters: Sendable {
  /// The scopes that the access token must have.
  public var scopes: [String]
  /// The account whose token is wanted.
  public var account: Account
  /// The authority for this call, instead of the configured one.
  public var authority: Authority?
  /// Whether to refresh even if the stored token is still valid.
  public var forceRefresh: Bool
  /// How long the token must stay valid, at most ``maximumValidity``; nil for
  /// ``ClientConfiguration/tokenExpirationBuffer``, or half the token's lifetime where that is less.
  public var minimumValidity: Duration?
  /// Whether the result must have an ID token that is still valid, for a service that takes ID tokens; false.
  public var requiresIDToken: Bool
  /// A claims request as JSON; with it the stored access token is not used.
  public var claims: String?
  /// The resource that the token is for (RFC 8707); with it the stored access token, which may be for another, is not
  /// used.
  public var resource: String?
  /// Further parameters of the token endpoint's address, at Microsoft (MSAL: `extraQueryParameters`); none may replace one
  /// of msauth's, or stand for one that has a property.
  public var extraQueryParameters: [String: String]
  /// The correlation ID that Microsoft's errors show; nil makes a new one.
  public var correlationID: String?

  /// The maximum of ``minimumValidity``: a year, longer than any access token is valid.
  public static let maximumValidity: Duration = .seconds(366 * 24 * 60 * 60)

  /// Makes parameters with MSAL's defaults.
  ///
  /// - Parameters:
  ///   - scopes: The scopes that the access token must have.
  ///   - account: The account whose token is wanted.
  public init(scopes: [String], account: Account) {
    self.scopes = scopes
    self.account = account
    self.forceRefresh = false
    self.requiresIDToken = false
    self.extraQueryParameters = [:]
  }
}
