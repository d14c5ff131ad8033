import MSAuth
import MSAuthPreferences

extension ProviderOptions {
  /// Every store that may have accounts: those that were used before and the profiles', or only the named one.
  func stores(
    of configuration: ClientConfiguration,
    _ profiles: [Settings.Profile]
  ) async throws -> [ClientConfiguration] {
    if self.store != nil || self.cacheFile != nil { return [configuration] }
    var stores = try await configuration.usedStores()
    for profile in profiles where profile.application.store != configuration.store {
      var other = configuration
      (other.store, other.storeKeyFile) = (profile.application.store, profile.application.storeKeyFile)
      stores += try await other.usedStores().filter { new in
        !stores.contains { $0.store == new.store && $0.storeKeyFile == new.storeKeyFile }
      }
    }
    return stores
  }
}
