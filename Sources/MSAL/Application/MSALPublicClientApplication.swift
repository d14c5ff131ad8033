// MSAL for macOS re-exports Foundation, URLSession included; every file of this module sees them too.
@_exported public import Dispatch
@_exported public import Foundation
@_exported public import FoundationNetworking
package import MSAuth

/// Receives the result of a token request or an error.
public typealias MSALCompletionBlock = (MSALResult?, (any Error)?) -> Void

/// An application that signs users in without a client secret, with the names of MSAL for macOS.
///
/// It is a thin layer over `MSAuth`: the user signs in with the system browser, and the response arrives at a listener
/// on 127.0.0.1 instead of a URL scheme as on Apple's systems. Completion blocks run on the queue that
/// ``MSALParameters/completionBlockQueue`` names.
public final class MSALPublicClientApplication: NSObject, @unchecked Sendable {
  // Unchecked because the configuration's class is not Sendable; this copy of it is never given away or changed.
  private let settings: MSALPublicClientApplicationConfig
  let application: PublicClientApplication
  let externalAccounts: ExternalAccounts

  /// Creates an application; the configuration is copied, so later changes have no effect.
  ///
  /// Blocks until the token store is open, and throws after 10 seconds.
  public convenience init(configuration: MSALPublicClientApplicationConfig) throws {
    try self.init(configuration: configuration, making: Self.makeApplication)
  }

  /// Creates an application for Microsoft's public cloud; blocks as ``init(configuration:)`` does.
  public convenience init(clientId: String) throws {
    try self.init(configuration: MSALPublicClientApplicationConfig(clientId: clientId))
  }

  @available(*, deprecated, message: "use init(configuration:)")
  public convenience init(clientId: String, authority: MSALAuthority?) throws {
    try self.init(clientId: clientId, authority: authority, redirectUri: nil)
  }

  @available(*, deprecated, message: "use init(configuration:)")
  public convenience init(clientId: String, authority: MSALAuthority?, redirectUri: String?) throws {
    typealias Config = MSALPublicClientApplicationConfig
    try self.init(configuration: Config(clientId: clientId, redirectUri: redirectUri, authority: authority))
  }

  package static func makeApplication(_ configuration: ClientConfiguration) throws -> PublicClientApplication {
    try blocking { try await PublicClientApplication(configuration: configuration) }
  }

  /// Creates an application with other dependencies than the system's.
  package init(
    configuration: MSALPublicClientApplicationConfig,
    making: (ClientConfiguration) throws -> PublicClientApplication
  ) throws {
    self.settings = configuration.copied()
    self.externalAccounts = ExternalAccounts(configuration.cacheConfig.externalAccountProviders)
    self.application = try withNSErrors {
      var clientConfiguration = try configuration.clientConfiguration(environment: ProcessInfo.processInfo.environment)
      // Read now, as all of the configuration; only the level and the callback may change later.
      clientConfiguration.logMasking = MSALGlobalConfig.loggerConfig.logMaskingLevel.masking
      clientConfiguration.log = { MSALGlobalConfig.loggerConfig.deliver($0) }
      clientConfiguration.http = MSALGlobalConfig.httpConfig.settings
      return try making(clientConfiguration)
    }
  }

  /// A copy of the application's configuration.
  public var configuration: MSALPublicClientApplicationConfig { settings.copied() }

  /// Whether the device's identity broker is available; blocks for up to 5 seconds while one starts.
  public var isCompatibleAADBrokerAvailable: Bool {
    let application = application
    let version = try? blocking { await application.brokerVersion() }
    return version != nil
  }

  /// This library's version.
  public class var sdkVersion: String { MSAuthVersion.current }

  /// On Apple's systems, passes on the response of a sign-in, which arrives through a URL scheme.
  ///
  /// On Linux the response arrives at a listener on 127.0.0.1, so there is nothing to hand over, and this
  /// function does nothing. It exists for code that is shared with Apple's systems.
  ///
  /// - Parameters:
  ///   - response: The URL that the system opened.
  ///   - sourceApplication: The application that requested it.
  /// - Returns: Always false: the URL isn't a response to this library.
  @discardableResult
  public class func handleMSALResponse(_ response: URL, sourceApplication: String?) -> Bool { false }

  /// Cancels the sign-in or sign-out that waits for the browser; its completion block gets
  /// ``MSALError/userCanceled``.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public class func cancelCurrentWebAuthSession() -> Bool { InteractiveSession.cancelRunning() }
}
