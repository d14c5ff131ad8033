extension AuthenticationError {
  /// The rule that was broken or the step that failed; more exact than ``AuthenticationError/Code``.
  ///
  /// Its raw value is a word that does not change between versions. A provider's error has the provider's word as its
  /// reason, such as `invalid_grant`, so that there are others than those that are named here.
  public struct Reason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The stable word.
    public var rawValue: String

    /// Makes a reason from its word.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The stable word.
    public var description: String { rawValue }
  }
}

extension AuthenticationError.Reason {
  /// The accent colour of the pages is not `#rrggbb`.
  public static let accentColorInvalid = Self(rawValue: "accent_color_invalid")
  /// The account belongs to another authority.
  public static let accountElsewhere = Self(rawValue: "account_elsewhere")
  /// The tokens are for another account than the one that was asked for.
  public static let accountMismatch = Self(rawValue: "account_mismatch")
  /// No account with that name is signed in.
  public static let accountUnknown = Self(rawValue: "account_unknown")
  /// Several accounts fit.
  public static let ambiguousAccount = Self(rawValue: "ambiguous_account")
  /// The authority's host or tenant is invalid.
  public static let authorityInvalid = Self(rawValue: "authority_invalid")
  /// The person closed the desktop's question which browser to open.
  public static let browserDismissed = Self(rawValue: "browser_dismissed")
  /// No browser could be opened.
  public static let browserNotOpened = Self(rawValue: "browser_not_opened")
  /// The task was cancelled.
  public static let canceled = Self(rawValue: "canceled")
  /// The claims request is invalid.
  public static let claimsInvalid = Self(rawValue: "claims_invalid")
  /// The client ID is invalid.
  public static let clientIDInvalid = Self(rawValue: "client_id_invalid")
  /// There is no client ID.
  public static let clientIDMissing = Self(rawValue: "client_id_missing")
  /// The client ID is the placeholder of a tutorial.
  public static let clientIDPlaceholder = Self(rawValue: "client_id_placeholder")
  /// The sign-in was sent on to a cloud that is not a known authority.
  public static let cloudUnknown = Self(rawValue: "cloud_unknown")
  /// libcrypto failed.
  public static let crypto = Self(rawValue: "crypto")
  /// Nobody entered the device code before it expired.
  public static let deviceCodeExpired = Self(rawValue: "device_code_expired")
  /// Nobody entered the device code within the caller's timeout.
  public static let deviceCodeNotEntered = Self(rawValue: "device_code_not_entered")
  /// The provider has no device authorization endpoint (RFC 8628).
  public static let deviceCodeNotOffered = Self(rawValue: "device_code_not_offered")
  /// The administrator's file about the device is invalid.
  public static let deviceConfigurationInvalid = Self(rawValue: "device_configuration_invalid")
  /// DPoP is on, and the authority is not a plain OpenID provider.
  public static let dpopAuthority = Self(rawValue: "dpop_authority")
  /// The key that the tokens are bound to is missing.
  public static let dpopKeyMissing = Self(rawValue: "dpop_key_missing")
  /// The server demands one DPoP nonce after another (RFC 9449 §8).
  public static let dpopNonceLoop = Self(rawValue: "dpop_nonce_loop")
  /// The server demands a DPoP nonce and sends none (RFC 9449 §8).
  public static let dpopNonceMissing = Self(rawValue: "dpop_nonce_missing")
  /// DPoP is on, and the provider does not support it.
  public static let dpopNotOffered = Self(rawValue: "dpop_not_offered")
  /// DPoP was turned on or off since the sign-in.
  public static let dpopSwitched = Self(rawValue: "dpop_switched")
  /// The program that runs this one asks for an unknown version of the ExecCredential.
  public static let execCredentialUnknown = Self(rawValue: "exec_credential_unknown")
  /// The group's name is invalid.
  public static let groupInvalid = Self(rawValue: "group_invalid")
  /// The HTTP settings are out of range.
  public static let httpSettingsInvalid = Self(rawValue: "http_settings_invalid")
  /// The response has no ID token (OpenID Connect Core §3.1.3.3).
  public static let idTokenMissing = Self(rawValue: "id_token_missing")
  /// The resource demands a newer or stronger sign-in (RFC 9470).
  public static let insufficientUserAuthentication = Self(rawValue: "insufficient_user_authentication")
  /// The authority's URL cannot be used.
  public static let invalidAuthority = Self(rawValue: "invalid_authority")
  /// The provider's metadata cannot be used.
  public static let invalidMetadata = Self(rawValue: "invalid_metadata")
  /// The redirect names another issuer (RFC 9207).
  public static let issMismatch = Self(rawValue: "iss_mismatch")
  /// The sign-in that another process began ended without a token.
  public static let joinedSignInFailed = Self(rawValue: "joined_sign_in_failed")
  /// The sign-in that another process began took too long.
  public static let joinedSignInSlow = Self(rawValue: "joined_sign_in_slow")
  /// The provider's key set is invalid.
  public static let keySetInvalid = Self(rawValue: "key_set_invalid")
  /// libcurl cannot be loaded.
  public static let libcurlMissing = Self(rawValue: "libcurl_missing")
  /// The listener for the redirect ended.
  public static let listenerEnded = Self(rawValue: "listener_ended")
  /// The account has no mail address.
  public static let mailAddressMissing = Self(rawValue: "mail_address_missing")
  /// The minimum validity is out of range.
  public static let minimumValidityInvalid = Self(rawValue: "minimum_validity_invalid")
  /// Nobody is signed in.
  public static let noAccount = Self(rawValue: "no_account")
  /// There is no home directory.
  public static let noHome = Self(rawValue: "no_home")
  /// No redirect arrived in time.
  public static let noRedirect = Self(rawValue: "no_redirect")
  /// The account has no refresh token.
  public static let noRefreshToken = Self(rawValue: "no_refresh_token")
  /// Another account signed in than the one that was asked for.
  public static let otherAccount = Self(rawValue: "other_account")
  /// The system has no random bytes.
  public static let random = Self(rawValue: "random")
  /// A tenant was given for an audience that takes none (MSAL's `rawTenant`).
  public static let rawTenantUnexpected = Self(rawValue: "raw_tenant_unexpected")
  /// The redirect URI is no loopback address.
  public static let redirectURIInvalid = Self(rawValue: "redirect_uri_invalid")
  /// The provider refused the account's refresh token (`invalid_grant`).
  public static let refreshTokenRefused = Self(rawValue: "refresh_token_refused")
  /// The response is larger than the limit.
  public static let responseTooLarge = Self(rawValue: "response_too_large")
  /// The provider granted less than was asked for.
  public static let scopesDeclined = Self(rawValue: "scopes_declined")
  /// The account has not granted the scopes.
  public static let scopesNotGranted = Self(rawValue: "scopes_not_granted")
  /// The provider cannot answer now.
  public static let serverUnavailable = Self(rawValue: "server_unavailable")
  /// The device is shared, and the session has no runtime directory.
  public static let sharedDeviceNoSession = Self(rawValue: "shared_device_no_session")
  /// The device is shared, and tokens were to be kept in a file.
  public static let sharedDeviceStore = Self(rawValue: "shared_device_store")
  /// The device is shared, and another account is signed in.
  public static let sharedDeviceTaken = Self(rawValue: "shared_device_taken")
  /// The device is shared, and the application does not support that.
  public static let sharedDeviceUnsupported = Self(rawValue: "shared_device_unsupported")
  /// The account is signed out.
  public static let signedOut = Self(rawValue: "signed_out")
  /// The application allows one account, and another is signed in.
  public static let singleAccountTaken = Self(rawValue: "single_account_taken")
  /// Root, by sudo, would use the home directory of who called it.
  public static let sudo = Self(rawValue: "sudo")
  /// The timeout is out of range.
  public static let timeoutInvalid = Self(rawValue: "timeout_invalid")
  /// The server's certificate or the TLS handshake failed.
  public static let tlsUntrusted = Self(rawValue: "tls_untrusted")
  /// The token is bound to a key, and is wanted where no proof can go with it.
  public static let tokenBound = Self(rawValue: "token_bound")
  /// The token is not bound to a key.
  public static let tokenNotBound = Self(rawValue: "token_not_bound")
  /// The token or a name has characters that the form in which it is wanted cannot hold.
  public static let tokenNotPrintable = Self(rawValue: "token_not_printable")
  /// An error of an unexpected kind.
  public static let unexpected = Self(rawValue: "unexpected")
  /// The host cannot be reached.
  public static let unreachable = Self(rawValue: "unreachable")
  /// The URL may not be requested.
  public static let urlRefused = Self(rawValue: "url_refused")

  /// A response with another HTTP status than the one that was expected; ``AuthenticationError/httpStatus`` has it.
  public static func httpStatus(_ status: Int) -> Self { Self(rawValue: "http_\(status)") }
}
