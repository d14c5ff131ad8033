import Core
import TokenCache

/// Makes the store ready for a sign-in, the one step that may replace a damaged one.
struct StorePreparation: Sendable {
  let context: Context

  /// Sets a damaged cache aside, and tells what the person has to know of the store.
  ///
  /// Only what cannot be read as a cache is moved. One that is somebody else's, open to others, or in a keyring that the
  /// person does not unlock ends the sign-in here: its result could not be kept.
  func run() async throws {
    if let notice = context.dependencies.storeNotice { context.configuration.log(.warning, "\(person: notice)") }
    guard let damage = try await damage() else { return }
    let lock = try await context.dependencies.store.locked()
    defer { lock.release() }
    // Another process may have been faster.
    guard try await self.damage() != nil else { return }
    do throws(TokenCacheError) {
      guard let place = try await context.dependencies.store.setAside(holding: lock) else { return }
      context.configuration.log(.warning, "\(person: damage.message); it was set aside as \(person: place)")
    } catch {
      throw AuthenticationError(error)
    }
  }

  private func damage() async throws -> TokenCacheError? {
    do throws(TokenCacheError) {
      _ = try await context.dependencies.store.load()
      return nil
    } catch {
      guard [.damaged, .tooLarge].contains(error.kind) else { throw AuthenticationError(error) }
      return error
    }
  }
}
