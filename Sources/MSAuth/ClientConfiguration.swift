public import FoundationEssentials
import MSAuthDesktop
import MSAuthPages
import MSAuthUnix

/// An application's registration and settings (MSAL: `MSALPublicClientApplicationConfig`).
///
/// Its description contains neither ``clientSecret`` nor ``environment``.
public struct ClientConfiguration: Sendable {
  /// The application (client) ID.
  public var clientID: String
  /// Where users sign in.
  public var authority: Authority
  /// The redirect URI as registered; `nil` for the default.
  ///
  /// The default is `http://localhost` at Microsoft, `http://127.0.0.1/` elsewhere. Without a port, every sign-in uses a free
  /// one (RFC 8252 §7.3).
  public var redirectURI: String?
  /// The "secret" that some providers, such as Google, issue to desktop applications; usually `nil`.
  ///
  /// A native application can't keep a secret (RFC 8252 §8.5), so this one doesn't authenticate the application.
  public var clientSecret: String?
  /// The registration's `token_endpoint_auth_method`; `nil` for one that the provider lists.
  package var clientAuthenticationMethod: String?
  /// What the application can handle, such as `CP1` for claims challenges (MSAL: `clientApplicationCapabilities`).
  public var clientCapabilities: [String] = []
  /// How long a stored access token must still be valid to be used; 300 seconds, as in MSAL.
  ///
  /// A buffer of up to 300 s is limited to half the token's lifetime, since some providers issue tokens for five minutes.
  public var tokenExpirationBuffer: Duration = ClientConfiguration.defaultExpirationBuffer
  /// Whether a Microsoft sign-in may be redirected to the user's national cloud (`instance_aware`).
  ///
  /// That cloud then issues the account's tokens, also when they are refreshed.
  public var multipleCloudsSupported = false
  /// Authorities that the application trusts besides ``authority`` (MSAL: `knownAuthorities`).
  ///
  /// A sign-in is redirected only to Microsoft's clouds and to these.
  public var knownAuthorities: [Authority] = []
  /// Whether tokens are bound to a key of this application (DPoP, RFC 9449), so that a stolen one is useless.
  ///
  /// For plain OpenID providers whose metadata offers it. Off by default, since not every resource accepts such tokens.
  public var usesDPoP = false
  /// How many accounts may be signed in to this application at a time (MSAL for Android: `account_mode`).
  public var accountMode = AccountMode.multiple
  /// Whether this application may be used on a shared device, where a sign-out applies to all applications.
  public var supportsSharedDevice = true
  /// When the device's identity broker supplies the tokens of Entra's work accounts.
  public var brokerUse = BrokerUse.automatic
  /// Where accounts and tokens are stored.
  public var store = Store.automatic
  /// The file with the key that encrypts the cache file: at least 32 random bytes; `nil` for MSAL's plain format.
  ///
  /// For services without an unlocked keyring: systemd passes them a key with `LoadCredential=`. The file must belong to
  /// this user or root, and may be readable only by its owner and group. A plain cache file is read, and encrypted when it
  /// is next written.
  public var storeKeyFile: String?
  /// The keyring item, if the keyring is used.
  public var keyringItem = KeyringItem()
  /// The application's name, which the pages in the browser show; `nil` for a program in a terminal.
  ///
  /// The default is the name of the program's file.
  public var applicationName = ProcessArguments.programName
  /// The logo and the color of the pages in the browser.
  public var appearance: Appearance?
  /// The browser's command, with `%s` for the URL or the URL appended; `nil` for the desktop's default.
  public var browser: String?
  /// The process's environment, read when the configuration is created.
  public var environment: [String: String]
  /// The file in which an administrator declares the device shared.
  var deviceConfigurationFile = DeviceInformation.standardFile
  /// The user who must own that file: root, except in tests.
  var deviceAdministrator: UInt32 = 0
  /// Whether a tenant's domain may be looked up over the network to list its accounts.
  package var looksUpTenants = true
  /// Receives log entries, on any thread; they never contain a secret.
  public var log: (@Sendable (LogEntry) -> Void)?
  /// The level of detail that ``log`` receives; everything by default.
  public var logLevel = LogEntry.Level.verbose
  /// What is masked in the log.
  public var logMasking = LogMasking.usersAndOrganizations
  /// How requests are sent.
  public var http = HTTPSettings()

  package static let defaultExpirationBuffer: Duration = .seconds(300)

  /// How many accounts may be signed in to an application at a time; the raw values are those of MSAL's `account_mode`.
  public enum AccountMode: String, Sendable, CaseIterable {
    /// One: another account can sign in only after the first has signed out.
    case single = "SINGLE"
    /// Any number.
    case multiple = "MULTIPLE"
  }

  /// When the identity broker of an enrolled device (Microsoft's or Himmelblau's) is used, for Entra's work accounts.
  public enum BrokerUse: String, Sendable, CaseIterable {
    /// For accounts that only the broker has, and if a policy requires a managed device.
    case automatic = "auto"
    /// Never.
    case never
    /// For every token; without a broker, calls fail.
    case always
  }

  /// Where accounts and tokens are stored.
  public enum Store: Sendable, Hashable {
    /// The keyring if it works, else the file; a keyring that was used once stays the choice.
    case automatic
    /// The desktop's keyring, through the Secret Service.
    case secretService
    /// A file; `nil` for `$XDG_STATE_HOME/msauth/token_cache.json`.
    case file(String?)
    /// Memory, until the process ends.
    case memory
  }

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

extension ClientConfiguration: Redacted {
  /// The client ID and the authority.
  public var description: String { "ClientConfiguration(\(clientID) at \(authority.url))" }
}

extension ClientConfiguration {
  /// The program msauth's configuration file for this user, which may not exist: `$XDG_CONFIG_HOME/msauth/config.json`.
  ///
  /// This library doesn't read it.
  public static func standardFile(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(AuthenticationError) -> String {
    try XDGDirectories(environment: environment).config + "/config.json"
  }

  /// Checks that a client ID is visible ASCII, and neither empty nor too long.
  package static func validate(clientID id: String) throws(AuthenticationError) {
    guard !id.isEmpty, id.utf8.count <= 255, id.utf8.allSatisfy(\.isASCIIVisible) else {
      let rule = "the client ID is invalid: it must be 1 to 255 visible ASCII characters, without spaces"
      let message = id.isEmpty ? "there is no client ID" : rule
      let hint: Hint = "take the application (client) ID from the app registration"
      throw AuthenticationError(.invalidConfiguration, message, reason: "client_id_invalid", hint: hint)
    }
  }
}

extension ClientConfiguration {
  /// An application's logo and accent color, for the pages in the browser.
  public struct Appearance: Sendable, Hashable {
    /// The path of a PNG or SVG file of up to 64 KiB that only this user and root can write.
    ///
    /// It is read at every sign-in. If it can't be used, it is omitted and a warning is logged.
    public let logo: String?
    /// The background of the application's name, as `#rrggbb`.
    ///
    /// The name is black or white, whichever has more contrast: at least 4.5:1 on any color.
    public let accentColor: String?

    let accent: AccentColor?

    /// Creates an appearance; throws the reason `accent_color_invalid`.
    public init(logo: String? = nil, accentColor: String? = nil) throws(AuthenticationError) {
      self.logo = logo
      self.accentColor = accentColor
      accent = accentColor.flatMap(AccentColor.init)
      guard accentColor == nil || accent != nil else {
        let message = "the accent color isn't a color such as #23497f"
        throw AuthenticationError(.invalidConfiguration, message, reason: "accent_color_invalid")
      }
    }
  }
}
