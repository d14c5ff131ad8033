/// The rule that was broken or the step that failed: a word that does not change between versions.
///
/// A provider's error has the provider's word as its reason, such as `invalid_grant`. Programs compare a reason with a string:
/// `error.reason == "no_refresh_token"`.
public struct FailureReason: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  /// The stable word.
  public var rawValue: String

  /// Makes a reason from its word.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Makes a reason from its word.
  public init(stringLiteral word: String) { rawValue = word }

  /// The tokens are for another account than the one that was asked for.
  public static let accountMismatch: Self = "account_mismatch"
  /// No browser could be opened.
  public static let browserNotOpened: Self = "browser_not_opened"
  /// The provider's metadata cannot be used.
  public static let invalidMetadata: Self = "invalid_metadata"
  /// The account has no refresh token.
  public static let noRefreshToken: Self = "no_refresh_token"
  /// No redirect arrived in time.
  public static let noRedirect: Self = "no_redirect"
  /// Another account signed in than the one that was asked for.
  public static let otherAccount: Self = "other_account"
  /// The redirect URI is not a loopback address.
  public static let redirectURIInvalid: Self = "redirect_uri_invalid"
  /// The provider rejected the account's refresh token (`invalid_grant`).
  public static let refreshTokenRefused: Self = "refresh_token_refused"
  /// The account is signed out.
  public static let signedOut: Self = "signed_out"
  /// The host cannot be reached.
  public static let unreachable: Self = "unreachable"
}

extension FailureReason: CustomStringConvertible {
  /// The stable word.
  public var description: String { rawValue }
}
