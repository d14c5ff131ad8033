import MSAL

extension Surface {
  private typealias Configuration = MSALPublicClientApplicationConfig
  private typealias Provider = any MSALExternalAccountProviding

  /// 1.2 Configuration.
  static let configuration: [[String]] = [
    Members<Configuration>(other: [
      "init(clientId:redirectUri:authority:)": Configuration.init(clientId:redirectUri:authority:),
      "init(clientId:)": Configuration.init(clientId:),
    ]).names,
    Members<Configuration>([
      "clientId": \.clientId, "redirectUri": \.redirectUri, "authority": \.authority,
      "knownAuthorities": \.knownAuthorities, "extendedLifetimeEnabled": \.extendedLifetimeEnabled,
      "clientApplicationCapabilities": \.clientApplicationCapabilities,
      "tokenExpirationBuffer": \.tokenExpirationBuffer, "sliceConfig": \.sliceConfig, "cacheConfig": \.cacheConfig,
      "multipleCloudsSupported": \.multipleCloudsSupported,
      "bypassRedirectURIValidation": \.bypassRedirectURIValidation,
    ]).names,
    Members<MSALSliceConfig>(other: ["init(slice:dc:)": MSALSliceConfig.init(slice:dc:)]).names,
    Members<MSALGlobalConfig>(other: [
      "httpConfig": MSALGlobalConfig.httpConfig, "telemetryConfig": MSALGlobalConfig.telemetryConfig,
      "loggerConfig": MSALGlobalConfig.loggerConfig, "brokerAvailability": MSALGlobalConfig.brokerAvailability,
    ]).names,
    Members<MSALHTTPConfig>([
      "retryCount": \.retryCount, "retryInterval": \.retryInterval,
      "timeoutIntervalForRequest": \.timeoutIntervalForRequest,
    ]).names,
    Members<MSALLoggerConfig>(["logLevel": \.logLevel, "logMaskingLevel": \.logMaskingLevel]).names,
    Members<MSALLoggerConfig>(other: ["setLogCallback(_:)": MSALLoggerConfig.setLogCallback]).names,
    Members<MSALTelemetryConfig>([
      "piiEnabled": \.piiEnabled, "notifyOnFailureOnly": \.notifyOnFailureOnly,
      "telemetryCallback": \.telemetryCallback,
    ]).names,
    Members<MSALCacheConfig>(other: [
      "keychainSharingGroup": \MSALCacheConfig.keychainSharingGroup,
      "defaultKeychainSharingGroup": MSALCacheConfig.defaultKeychainSharingGroup,
      "addExternalAccountProvider(_:)": MSALCacheConfig.addExternalAccountProvider,
      "externalAccountProviders": \MSALCacheConfig.externalAccountProviders,
    ]).names,
    Members<Provider>(other: [
      "accounts(with:)": { try $0.accounts(with: $1) }
        as (Provider, MSALAccountEnumerationParameters) throws -> [any MSALAccountProtocol],
      "update(_:idTokenClaims:)": { try $0.update($1, idTokenClaims: $2) }
        as (Provider, any MSALAccountProtocol, [AnyHashable: Any]) throws -> Void,
      "remove(_:)": { try $0.remove($1) } as (Provider, any MSALAccountProtocol) throws -> Void,
    ]).names,
  ]

  /// 1.5 Authorities and clouds.
  static let authorities: [[String]] = [
    Members<MSALAuthority>(other: ["init(url:)": MSALAuthority.init(url:), "url": \MSALAuthority.url]).names,
    Members<MSALAADAuthority>(other: [
      "init(url:)": MSALAADAuthority.init(url:),
      "init(url:rawTenant:)": MSALAADAuthority.init(url:rawTenant:),
      "init(cloudInstance:audienceType:rawTenant:)": MSALAADAuthority.init(cloudInstance:audienceType:rawTenant:),
      "init(environment:audienceType:rawTenant:)": MSALAADAuthority.init(environment:audienceType:rawTenant:),
    ]).names,
    cases(of: MSALAudienceType.self),
    cases(of: MSALAzureCloudInstance.self),
    Members<MSALB2CAuthority>(other: ["init(url:)": MSALB2CAuthority.init(url:)]).names,
    Members<MSALCIAMAuthority>(other: ["init(url:)": MSALCIAMAuthority.init(url:)]).names,
    Members<MSALADFSAuthority>(other: ["init(url:)": MSALADFSAuthority.init(url:)]).names,
  ]
}
