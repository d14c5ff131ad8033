import MSAuth
import MSAuthPreferences

extension ProviderOptions {
  /// Every store that may have accounts: those that were used before and the profiles', or only the named one.
  func stores(
    of configuration: ClientConfiguration,
    _ applications: [ClientConfiguration]
  ) async throws -> [ClientConfiguration] {
    if self.store != nil || self.cacheFile != nil { return [configuration] }
    var stores = try await configuration.usedStores()
    for application in applications where application.store != configuration.store {
      var other = configuration
      (other.store, other.storeKeyFile) = (application.store, application.storeKeyFile)
      stores += try await other.usedStores().filter { new in
        !stores.contains { $0.store == new.store && $0.storeKeyFile == new.storeKeyFile }
      }
    }
    return stores
  }
}

extension Settings {
  /// The accounts of the configured authority, or of every provider if none is configured.
  func accountsOfEveryApplication(
    _ options: ProviderOptions,
    inBackground: Bool = false
  ) async throws -> [ApplicationAccount] {
    try await application.accountsOfEveryApplication(
      known: Settings.profiles(Layer(options, nil)).map(\.application),
      at: namesAuthority ? application.authority : nil,
      inBackground: inBackground
    )
  }
}
