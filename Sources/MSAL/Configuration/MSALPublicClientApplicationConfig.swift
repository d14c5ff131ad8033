import MSAuth

/// The application's configuration.
public final class MSALPublicClientApplicationConfig: NSObject, NSCopying {
  /// The application's (client) ID.
  public var clientId: String
  /// The redirect URI as registered: `http://localhost` or another loopback address; `nil` for the authority's default.
  ///
  /// The custom schemes of Apple's systems (`msauth.<bundle id>://auth`) can't reach a program on Linux. Creating an
  /// application with one fails with ``MSALInternalError/invalidRedirectURI``.
  public var redirectUri: String?
  /// The authority that signs users in.
  public var authority: MSALAuthority
  /// Authorities that the application trusts: besides Microsoft's clouds, a sign-in may continue in these.
  ///
  /// Unlike on macOS, they skip no check: every authority must match its metadata.
  public var knownAuthorities: [MSALAuthority]?
  /// No effect on Linux: a token that is about to expire is used anyway while the provider can't be reached.
  public var extendedLifetimeEnabled = false
  /// What the application can handle, such as `CP1` for claims challenges.
  public var clientApplicationCapabilities: [String]?
  /// The remaining lifetime, in seconds, below which a cached access token isn't used.
  public var tokenExpirationBuffer: Double = 300
  /// The test ring of Microsoft's services, sent as further parameters of authorization and token requests.
  public var sliceConfig: MSALSliceConfig?
  /// Where tokens are stored.
  public let cacheConfig: MSALCacheConfig
  /// Whether a sign-in may continue at the user's national cloud.
  public var multipleCloudsSupported = false
  /// No effect on Linux: the listener must be able to serve the redirect URI.
  public var bypassRedirectURIValidation = false

  /// Creates a configuration; without an authority, for work, school and personal accounts of Microsoft's public cloud.
  public init(clientId: String, redirectUri: String?, authority: MSALAuthority?) {
    self.clientId = clientId
    self.redirectUri = redirectUri
    self.authority = authority ?? MSALAuthority(.microsoftCommon)
    self.cacheConfig = MSALCacheConfig()
    super.init()
  }

  /// Creates a configuration for Microsoft's public cloud.
  public convenience init(clientId: String) {
    self.init(clientId: clientId, redirectUri: nil, authority: nil)
  }

  public func copy(with zone: NSZone? = nil) -> Any { copied() }

  func copied() -> MSALPublicClientApplicationConfig {
    let copy = MSALPublicClientApplicationConfig(clientId: clientId, redirectUri: redirectUri, authority: authority)
    copy.knownAuthorities = knownAuthorities
    copy.extendedLifetimeEnabled = extendedLifetimeEnabled
    copy.clientApplicationCapabilities = clientApplicationCapabilities
    copy.tokenExpirationBuffer = tokenExpirationBuffer
    copy.sliceConfig = sliceConfig
    copy.cacheConfig.keychainSharingGroup = cacheConfig.keychainSharingGroup
    cacheConfig.externalAccountProviders.forEach(copy.cacheConfig.addExternalAccountProvider)
    copy.multipleCloudsSupported = multipleCloudsSupported
    copy.bypassRedirectURIValidation = bypassRedirectURIValidation
    return copy
  }

  /// The configuration for MSAuth.
  func clientConfiguration(environment: [String: String]) throws -> ClientConfiguration {
    guard tokenExpirationBuffer.isFinite, (0...86_400).contains(tokenExpirationBuffer) else {
      throw MSALInternalError.invalidParameter.error("tokenExpirationBuffer isn't a number of seconds within a day")
    }
    guard !clientId.isPlaceholder else {
      let message = "the client ID is still the placeholder of a tutorial"
      let hint: Hint = "take the application (client) ID from the app registration"
      throw AuthenticationError(.invalidConfiguration, message, reason: "client_id_placeholder", hint: hint)
    }
    if let redirectUri { _ = try RedirectTarget(redirectUri) }
    var configuration = ClientConfiguration(
      clientID: clientId,
      authority: authority.authority,
      redirectURI: redirectUri,
      environment: environment
    )
    if MSALGlobalConfig.brokerAvailability == .none { configuration.brokerUse = .never }
    configuration.clientCapabilities = clientApplicationCapabilities ?? []
    configuration.tokenExpirationBuffer = .seconds(tokenExpirationBuffer)
    configuration.multipleCloudsSupported = multipleCloudsSupported
    configuration.knownAuthorities = (knownAuthorities ?? []).map(\.authority)
    if cacheConfig.keychainSharingGroup != MSALCacheConfig.defaultKeychainSharingGroup {
      configuration.store = try .group(cacheConfig.keychainSharingGroup, environment: environment)
    }
    return configuration
  }
}

extension String {
  /// Whether it is a tutorial's placeholder, such as `Your_Application_Id_Here` or `<client-id>`.
  fileprivate var isPlaceholder: Bool {
    let bytes = lowercased().utf8
    return bytes.first == UInt8(ascii: "<") || bytes.suffix(5).elementsEqual("_here".utf8)
  }
}

/// The test ring of Microsoft's services.
public final class MSALSliceConfig: NSObject, Sendable {
  /// The slice.
  public let slice: String?
  /// The data center.
  public let dc: String?

  public init(slice: String?, dc: String?) {
    self.slice = slice
    self.dc = dc
  }

  /// The further parameters of the requests.
  var parameters: [String: String] { ["slice": slice, "dc": dc].compactMapValues(\.self) }
}

/// Where tokens are stored.
public final class MSALCacheConfig: NSObject {
  /// The group of applications that share accounts; by default all of the user's applications.
  ///
  /// Another name, such as the application's ID, selects a separate file instead of the keyring.
  public var keychainSharingGroup = MSALCacheConfig.defaultKeychainSharingGroup

  /// The lists of accounts that the application manages.
  public private(set) var externalAccountProviders: [any MSALExternalAccountProviding] = []

  /// Adds the application's accounts to this library's accounts; the provider is kept alive.
  public func addExternalAccountProvider(_ provider: any MSALExternalAccountProviding) {
    externalAccountProviders.append(provider)
  }

  /// The name that macOS gives to the shared keychain group.
  public class var defaultKeychainSharingGroup: String { "com.microsoft.identity.universalstorage" }
}
