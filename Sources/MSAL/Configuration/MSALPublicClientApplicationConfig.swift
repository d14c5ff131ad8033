public import Foundation
import MSAuth

/// What an application tells of itself.
public final class MSALPublicClientApplicationConfig: NSObject, NSCopying {
  /// The application's (client) id.
  public var clientId: String
  /// The redirect URI as registered: `http://localhost` or another loopback address; nil for the authority's usual one.
  ///
  /// The custom schemes of Apple's systems (`msauth.<bundle id>://auth`) cannot reach a program on Linux.
  public var redirectUri: String?
  /// Where people sign in.
  public var authority: MSALAuthority
  /// Authorities that the application vouches for: clouds that a sign-in may be sent on to, besides Microsoft's own.
  ///
  /// They skip no check as they do on macOS: every authority is held to its own metadata.
  public var knownAuthorities: [MSALAuthority]?
  /// Has no effect on Linux: a token that is near its end serves while the provider is away, whatever this says.
  public var extendedLifetimeEnabled = false
  /// What the application can handle, such as `CP1` for claims challenges.
  public var clientApplicationCapabilities: [String]?
  /// How many seconds of life a stored access token must have left to be used.
  public var tokenExpirationBuffer: Double = 300
  /// Which of Microsoft's test rings answers; sent as further parameters of the requests for authorization and tokens.
  public var sliceConfig: MSALSliceConfig?
  /// Where tokens are kept.
  public let cacheConfig: MSALCacheConfig
  /// Whether a sign-in may be sent on to the person's own national cloud.
  public var multipleCloudsSupported = false
  /// Has no effect on Linux, where a redirect URI must be one that the listener can serve.
  public var bypassRedirectURIValidation = false

  /// Makes a configuration.
  ///
  /// - Parameters:
  ///   - clientId: The application's (client) id.
  ///   - redirectUri: The redirect URI as registered; nil for the authority's usual one.
  ///   - authority: Where people sign in; nil for work, school and personal accounts of Microsoft's public cloud.
  public init(clientId: String, redirectUri: String?, authority: MSALAuthority?) {
    self.clientId = clientId
    self.redirectUri = redirectUri
    self.authority = authority ?? MSALAuthority(.microsoftCommon)
    self.cacheConfig = MSALCacheConfig()
    super.init()
  }

  /// Makes a configuration for Microsoft's public cloud.
  ///
  /// - Parameter clientId: The application's (client) id.
  public convenience init(clientId: String) {
    self.init(clientId: clientId, redirectUri: nil, authority: nil)
  }

  /// Returns a copy.
  ///
  /// - Parameter zone: Ignored, as everywhere.
  /// - Returns: The copy.
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

  /// The configuration in MSAuth's words.
  func record(environment: [String: String]) throws -> Configuration {
    guard tokenExpirationBuffer.isFinite, (0...86_400).contains(tokenExpirationBuffer) else {
      throw MSALInternalError.invalidParameter.error("tokenExpirationBuffer is not a number of seconds within a day")
    }
    var record = Configuration(
      clientID: clientId,
      authority: authority.rule,
      redirectURI: redirectUri,
      environment: environment
    )
    record.clientCapabilities = clientApplicationCapabilities ?? []
    record.tokenExpirationBuffer = Int64(tokenExpirationBuffer)
    record.multipleCloudsSupported = multipleCloudsSupported
    record.knownAuthorities = (knownAuthorities ?? []).map(\.rule)
    if cacheConfig.keychainSharingGroup != MSALCacheConfig.defaultKeychainSharingGroup {
      record.store = try .group(cacheConfig.keychainSharingGroup, environment: environment)
    }
    return record
  }
}

/// Which of Microsoft's test rings answers.
public final class MSALSliceConfig: NSObject, Sendable {
  /// The slice.
  public let slice: String?
  /// The data centre.
  public let dc: String?

  /// Makes the choice.
  ///
  /// - Parameters:
  ///   - slice: The slice.
  ///   - dc: The data centre.
  public init(slice: String?, dc: String?) {
    self.slice = slice
    self.dc = dc
  }

  /// The further parameters of the requests.
  var parameters: [(name: String, value: String)] {
    [("slice", slice), ("dc", dc)].compactMap { name, value in value.map { (name, $0) } }
  }
}

/// Where tokens are kept.
public final class MSALCacheConfig: NSObject {
  /// The group of applications that share accounts: all of a person, unless it gets another name.
  ///
  /// Another name, such as the application's own id, is a file of its own, without the keyring.
  public var keychainSharingGroup = MSALCacheConfig.defaultKeychainSharingGroup

  /// The application's own lists of accounts.
  public private(set) var externalAccountProviders: [any MSALExternalAccountProviding] = []

  /// Merges a list of the application's own with this library's accounts.
  ///
  /// - Parameter provider: The list; kept alive.
  public func addExternalAccountProvider(_ provider: any MSALExternalAccountProviding) {
    externalAccountProviders.append(provider)
  }

  /// The name that macOS gives to the shared keychain group.
  public class var defaultKeychainSharingGroup: String { "com.microsoft.identity.universalstorage" }
}
