public import FoundationEssentials
import MSAuthPages

/// An application's registration and settings (MSAL: `MSALPublicClientApplicationConfig`).
public struct ClientConfiguration: Sendable {
  /// The application's (client) id.
  public var clientID: String
  /// Where people sign in.
  public var authority: Authority
  /// The redirect URI as registered, or nil for the authority's usual one.
  ///
  /// `http://localhost` for Microsoft, `http://127.0.0.1/` otherwise. Without a port a free one is chosen for every
  /// sign-in (RFC 8252 §7.3).
  public var redirectURI: String?
  /// The "secret" that a provider gives its desktop registrations (Google does), which is none; nil as a rule.
  ///
  /// A native application cannot keep a secret (RFC 8252 §8.5), so this one proves nothing, and nothing rests on it.
  public var clientSecret: String?
  /// What the application can handle, such as `CP1` for claims challenges (MSAL: `clientApplicationCapabilities`).
  public var clientCapabilities: [String] = []
  /// How long a stored access token must still be valid to be used; 300 seconds, as in MSAL.
  ///
  /// A buffer of up to 300 s is limited to half of a token's lifetime, since some providers issue tokens of five minutes.
  public var tokenExpirationBuffer: Duration = ClientConfiguration.usualExpirationBuffer
  /// Whether a Microsoft sign-in may be sent on to the person's own national cloud (`instance_aware`).
  ///
  /// The account's tokens then come from there, now and whenever they are refreshed.
  public var multipleCloudsSupported = false
  /// Authorities that the application vouches for besides ``authority`` (MSAL: `knownAuthorities`).
  ///
  /// A sign-in is sent on to Microsoft's own clouds and to these, and nowhere else.
  public var knownAuthorities: [Authority] = []
  /// Whether tokens are bound to a key of this application's (DPoP, RFC 9449), so that a stolen one is of no use.
  ///
  /// For plain OpenID providers whose metadata offers it. Off, since not every resource takes such tokens.
  public var usesDPoP = false
  /// How many people may be signed in to this application at a time (MSAL for Android: `account_mode`).
  public var accountMode = AccountMode.multiple
  /// Whether this application may be used on a shared device, where signing out means all applications.
  public var supportsSharedDevice = true
  /// Where accounts and tokens are kept.
  public var store = Store.automatic
  /// A file with at least 32 random bytes, with which a cache file is encrypted; nil to leave it in MSAL's plain format.
  ///
  /// For services, whose keyring nobody unlocks: systemd hands them a key with `LoadCredential=`. The file must be this
  /// user's or root's, and unreadable for all others but its group. A plain cache file is read, and encrypted when it is
  /// next written.
  public var storeKeyFile: String?
  /// Which item of the keyring is used, where the store is the keyring.
  public var keyringItem = KeyringItem()
  /// The application's name, which the pages in the browser show and ask the person to return to.
  ///
  /// The name of the program's file, unless it is set; nil for a program in a terminal.
  public var applicationName = CommandLine.arguments.first?.split(separator: "/").last.map(String.init)
  /// The logo and the colour of the pages in the browser; nil for none.
  public var appearance: Appearance?
  /// The browser's command, with `%s` for the URL or the URL appended; nil for the desktop's own.
  public var browser: String?
  /// The process's environment, read once here.
  public var environment: [String: String]
  /// Where an administrator says that the device is shared.
  public var deviceConfigurationFile = DeviceInformation.standardFile
  /// The user id that may say so: root's, and a test's own.
  var deviceAdministrator: UInt32 = 0
  /// Receives what happens, for logs, on any thread; never a secret.
  public var log: (@Sendable (LogEntry) -> Void)?
  /// How much ``log`` receives.
  public var logLevel = LogEntry.Level.verbose
  /// What is left out of the log.
  public var logMasking = LogMasking.peopleAndOrganizations
  /// How requests are sent.
  public var http = HTTPSettings()

  /// MSAL's buffer.
  static let usualExpirationBuffer: Duration = .seconds(300)

  /// The buffer in seconds, within its limits: an application may have set any value.
  var expirationBuffer: Int64 {
    min(max(tokenExpirationBuffer, .zero), TokenParameters.maximumValidity).secondsRoundedUp
  }

  /// How many people may be signed in to an application at a time.
  public enum AccountMode: Sendable, Hashable {
    /// One: a second person signs in only after the first has signed out.
    case single
    /// Any number.
    case multiple
  }

  /// Where accounts and tokens are kept.
  public enum Store: Sendable, Hashable {
    /// The keyring if it answers, else the file; a keyring that was used once stays the choice where there is one.
    case automatic
    /// The desktop's keyring over the Secret Service.
    case secretService
    /// A file; nil for `$XDG_STATE_HOME/msauth/token_cache.json`.
    case file(String?)
    /// Memory alone: gone with the process.
    case memory
  }

  /// Makes a configuration with MSAL's defaults.
  ///
  /// - Parameters:
  ///   - clientID: The application's (client) id.
  ///   - authority: Where people sign in.
  ///   - redirectURI: The redirect URI as registered, or nil for the authority's usual one.
  ///   - environment: The environment; by default the process's own.
  public init(
    clientID: String,
    authority: Authority = .microsoftCommon,
    redirectURI: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.clientID = clientID
    self.authority = authority
    self.redirectURI = redirectURI
    self.environment = environment
  }
}

extension ClientConfiguration {
  /// Checks the form of a client ID.
  ///
  /// - Parameter id: The client ID.
  /// - Throws: ``AuthenticationError`` if it isn't visible ASCII, or is empty or too long.
  public static func validate(clientID id: String) throws(AuthenticationError) {
    guard !id.isEmpty, id.utf8.count <= 255, id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      throw AuthenticationError(
        .invalidConfiguration,
        id.isEmpty
          ? "there is no client ID"
          : "the client ID is invalid: it must have visible ASCII characters only, 255 at most, and no space",
        reason: "client_id_invalid",
        hint: "take the application (client) ID from the app registration"
      )
    }
  }
}

/// How requests to the provider are sent (MSAL: `MSALHTTPConfig`).
public struct HTTPSettings: Sendable, Hashable {
  /// How often a request is retried after a status of 500 to 599, and a GET also after no response; 1, as in MSAL.
  ///
  /// A response with `Retry-After` is not retried.
  public var retryCount: Int
  /// The time to wait before a retry; half a second, as in MSAL.
  public var retryInterval: Duration
  /// The time that one request may take.
  ///
  /// The default is 30 seconds, not MSAL's 300: while one process refreshes a token, the others wait for it.
  public var requestTimeout: Duration
  /// A PEM file of trusted certificate authorities, instead of those that `CURL_CA_BUNDLE`, `SSL_CERT_FILE` or
  /// `SSL_CERT_DIR` names or the system has; nil for these.
  public var caFile: String?

  /// Makes the settings.
  ///
  /// - Parameters:
  ///   - retryCount: How often a request is retried.
  ///   - retryInterval: The time to wait before a retry.
  ///   - requestTimeout: The time that one request may take.
  ///   - caFile: A PEM file of trusted certificate authorities; nil for the system's.
  public init(
    retryCount: Int = 1,
    retryInterval: Duration = .milliseconds(500),
    requestTimeout: Duration = .seconds(30),
    caFile: String? = nil
  ) {
    self.retryCount = retryCount
    self.retryInterval = retryInterval
    self.requestTimeout = requestTimeout
    self.caFile = caFile
  }

  /// A day: more is a mistake, and does not fit into libcurl's milliseconds on every system.
  private static let maximumTime: Duration = .seconds(86_400)
  /// More retries would only burden a provider in trouble.
  private static let maximumRetries = 10

  /// Refuses settings that are out of range.
  func check() throws(AuthenticationError) {
    let times: ClosedRange<Duration> = .zero...Self.maximumTime
    guard times.contains(retryInterval), times.contains(requestTimeout), requestTimeout > .zero,
      (0...Self.maximumRetries).contains(retryCount)
    else {
      throw AuthenticationError(
        .invalidConfiguration,
        "the HTTP settings are out of range",
        reason: "http_settings_invalid",
        hint: "seconds are 0 to \(Self.maximumTime.components.seconds), retries 0 to \(Self.maximumRetries)"
      )
    }
  }
}

extension ClientConfiguration {
  /// An application's logo and accent colour, for the pages in the browser.
  public struct Appearance: Sendable, Hashable {
    /// The path of a PNG or an SVG of up to 64 KiB, which only this user and root may write.
    ///
    /// It is read at every sign-in. One that cannot be used is left out, and the log has a warning.
    public let logo: String?
    /// The ground of the application's name, as `#rrggbb`.
    ///
    /// The name is black or white on it, whichever is contrasted more; that is 4.5:1 or more on every colour.
    public let accentColor: String?

    let accent: AccentColor?

    /// Makes an appearance.
    ///
    /// - Parameters:
    ///   - logo: The path of the logo's file.
    ///   - accentColor: The accent colour, as `#rrggbb`.
    /// - Throws: ``AuthenticationError`` with the reason `accent_color_invalid`.
    public init(logo: String? = nil, accentColor: String? = nil) throws(AuthenticationError) {
      self.logo = logo
      self.accentColor = accentColor
      accent = accentColor.flatMap(AccentColor.init)
      guard accentColor == nil || accent != nil else {
        throw AuthenticationError(
          .invalidConfiguration,
          "the accent colour is not one such as #23497f",
          reason: "accent_color_invalid"
        )
      }
    }
  }
}
