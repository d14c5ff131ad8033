import Foundation
import MSAL

extension Surface {
  /// 1.2 Configuration.
  mutating func configuration() {
    use(
      "MSALPublicClientApplicationConfig.init(clientId:redirectUri:authority:)",
      MSALPublicClientApplicationConfig.init(clientId:redirectUri:authority:)
    )
    use("MSALPublicClientApplicationConfig.init(clientId:)", MSALPublicClientApplicationConfig.init(clientId:))
    use("MSALPublicClientApplicationConfig.clientId", \MSALPublicClientApplicationConfig.clientId)
    use("MSALPublicClientApplicationConfig.redirectUri", \MSALPublicClientApplicationConfig.redirectUri)
    use("MSALPublicClientApplicationConfig.authority", \MSALPublicClientApplicationConfig.authority)
    use("MSALPublicClientApplicationConfig.knownAuthorities", \MSALPublicClientApplicationConfig.knownAuthorities)
    use(
      "MSALPublicClientApplicationConfig.extendedLifetimeEnabled",
      \MSALPublicClientApplicationConfig.extendedLifetimeEnabled
    )
    use(
      "MSALPublicClientApplicationConfig.clientApplicationCapabilities",
      \MSALPublicClientApplicationConfig.clientApplicationCapabilities
    )
    use(
      "MSALPublicClientApplicationConfig.tokenExpirationBuffer",
      \MSALPublicClientApplicationConfig.tokenExpirationBuffer
    )
    use("MSALPublicClientApplicationConfig.sliceConfig", \MSALPublicClientApplicationConfig.sliceConfig)
    use("MSALPublicClientApplicationConfig.cacheConfig", \MSALPublicClientApplicationConfig.cacheConfig)
    use(
      "MSALPublicClientApplicationConfig.multipleCloudsSupported",
      \MSALPublicClientApplicationConfig.multipleCloudsSupported
    )
    use(
      "MSALPublicClientApplicationConfig.bypassRedirectURIValidation",
      \MSALPublicClientApplicationConfig.bypassRedirectURIValidation
    )
    use("MSALSliceConfig.init(slice:dc:)", MSALSliceConfig.init(slice:dc:))
    use("MSALGlobalConfig.httpConfig", ({ MSALGlobalConfig.httpConfig } as () -> MSALHTTPConfig))
    use("MSALGlobalConfig.telemetryConfig", ({ MSALGlobalConfig.telemetryConfig } as () -> MSALTelemetryConfig))
    use("MSALGlobalConfig.loggerConfig", ({ MSALGlobalConfig.loggerConfig } as () -> MSALLoggerConfig))
    use(
      "MSALGlobalConfig.brokerAvailability",
      ({ MSALGlobalConfig.brokerAvailability } as () -> MSALBrokeredAvailability)
    )
    use("MSALHTTPConfig.retryCount", \MSALHTTPConfig.retryCount)
    use("MSALHTTPConfig.retryInterval", \MSALHTTPConfig.retryInterval)
    use("MSALHTTPConfig.timeoutIntervalForRequest", \MSALHTTPConfig.timeoutIntervalForRequest)
    use("MSALLoggerConfig.logLevel", \MSALLoggerConfig.logLevel)
    use("MSALLoggerConfig.logMaskingLevel", \MSALLoggerConfig.logMaskingLevel)
    use("MSALLoggerConfig.setLogCallback(_:)", MSALLoggerConfig.setLogCallback)
    use("MSALTelemetryConfig.piiEnabled", \MSALTelemetryConfig.piiEnabled)
    use("MSALTelemetryConfig.notifyOnFailureOnly", \MSALTelemetryConfig.notifyOnFailureOnly)
    use("MSALTelemetryConfig.telemetryCallback", \MSALTelemetryConfig.telemetryCallback)
    use("MSALCacheConfig.keychainSharingGroup", \MSALCacheConfig.keychainSharingGroup)
    use(
      "MSALCacheConfig.defaultKeychainSharingGroup",
      ({ MSALCacheConfig.defaultKeychainSharingGroup } as () -> String)
    )
    use("MSALCacheConfig.addExternalAccountProvider(_:)", MSALCacheConfig.addExternalAccountProvider)
    use("MSALCacheConfig.externalAccountProviders", \MSALCacheConfig.externalAccountProviders)
    use(
      "MSALExternalAccountProviding.accounts(with:)",
      ({ try $0.accounts(with: $1) }
        as (any MSALExternalAccountProviding, MSALAccountEnumerationParameters) throws -> [any MSALAccountProtocol])
    )
    use(
      "MSALExternalAccountProviding.update(_:idTokenClaims:)",
      ({ try $0.update($1, idTokenClaims: $2) }
        as (any MSALExternalAccountProviding, any MSALAccountProtocol, [AnyHashable: Any]) throws -> Void)
    )
    use(
      "MSALExternalAccountProviding.remove(_:)",
      ({ try $0.remove($1) } as (any MSALExternalAccountProviding, any MSALAccountProtocol) throws -> Void)
    )
  }
}
