/// What each step of a sign-out achieved.
public struct SignOutReport: Sendable, Hashable {
  /// What became of the refresh token at the provider (RFC 7009).
  public enum Revocation: String, Sendable {
    /// The provider took it back.
    case revoked
    /// The provider offers no revocation; Microsoft Entra is one.
    case notOffered = "not_offered"
    /// There was no refresh token.
    case nothingToRevoke = "nothing_to_revoke"
    /// The provider could not be reached or refused.
    case failed
  }

  /// What became of the browser's session.
  public enum Browser: String, Sendable {
    /// It was not asked for.
    case notAsked = "not_asked"
    /// The provider has no sign-out page.
    case notOffered = "not_offered"
    /// Nobody opened the sign-out page in time.
    case notOpened = "not_opened"
    /// The sign-out page was opened, and the provider did not come back to confirm.
    case openedOnly = "opened_only"
    /// The provider came back with our state.
    case confirmed
    /// The provider came back, but without a state; another state than ours is ignored.
    case unconfirmed
    /// The page could not be offered, or the provider could not be reached.
    case failed
  }

  /// Whose sign-out it was.
  public var account: Account
  /// Whether tokens of the account were in the store, and are gone.
  public var removedTokens: Bool
  /// What became of the refresh token at the provider.
  public var revocation: Revocation
  /// What became of the browser's session.
  public var browser: Browser
  /// What failed and why, one sentence for each failure.
  public var problems: [String]
}

/// Whether the device is one person's or shared (MSAL: `MSALDeviceInformation`).
public struct DeviceInformation: Sendable, Hashable {
  /// The mode of a device.
  public enum Mode: String, Sendable {
    /// One person's device (MSAL: `default`).
    case privateDevice = "private"
    /// A device that changes hands: one account for all applications, nothing kept after the session.
    case shared
  }

  /// The device's mode.
  public var mode: Mode

  /// Makes the record.
  ///
  /// - Parameter mode: The device's mode.
  public init(mode: Mode) {
    self.mode = mode
  }
}
