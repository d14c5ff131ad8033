import Core
import TokenCache

/// Makes the store ready for a sign-in, the one step that may replace a damaged one.
struct StorePreparation: Sendable {
  let context: Context

  /// Chooses the place where that is open, sets a damaged cache aside, and makes sure that the store can be written.
  ///
  /// Only what cannot be read as a cache is moved. A store that is somebody else's, open to others, read-only, locked for
  /// long, or in a keyring that the person does not unlock ends the sign-in here: its result could not be kept.
  func run() async throws -> String? {
    let store = try await context.dependencies.store.settled()
    // What cannot be read at all is reported without a lock.
    _ = try await damage()
    let lock = try await store.locked()
    try await lock.whileHeld {
      if let damage = try await damage() { try await setAside(damage, in: store, holding: lock) }
      try await store.checkWritable(holding: lock)
    }
    return context.dependencies.store.notice
  }

  private func setAside(
    _ damage: Failure,
    in store: any TokenCacheStore,
    holding lock: TokenCacheLock
  ) async throws {
    guard let place = try await store.setAside(holding: lock) else { return }
    context.configuration.log(.warning, "\(person: damage.message); it was set aside as \(person: place)")
  }

  private func damage() async throws -> Failure? {
    do throws(Failure) {
      _ = try await context.dependencies.store.load()
      return nil
    } catch {
      guard [.damaged, .tooLarge].contains(error.reason) else { throw error }
      return error
    }
  }
}
