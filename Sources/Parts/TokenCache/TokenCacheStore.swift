package import MSAuthCore
import MSAuthUnix

/// Stores the token cache; calls block dedicated threads, and a canceled call leaves nothing half done.
package protocol TokenCacheStore: Sendable {
  /// The store's name in messages.
  var name: String { get }

  /// Reads the cache without a lock; a missing cache is empty.
  func load() async throws(AuthenticationError) -> TokenCacheDocument

  /// Takes the lock that all writers respect, including other MSAL libraries.
  func lock(within timeout: Duration) async throws(AuthenticationError) -> TokenCacheLock

  /// Prepares the next save under this lock, so that a spent refresh token's successor can be stored.
  func checkWritable(holding lock: TokenCacheLock) async throws(AuthenticationError)

  /// Writes the cache atomically.
  func save(_ document: TokenCacheDocument, holding lock: TokenCacheLock) async throws(AuthenticationError)

  /// Renames a damaged cache and returns its new name; nothing is overwritten or deleted.
  func setAside(holding lock: TokenCacheLock) async throws(AuthenticationError) -> String?

  /// Deletes the damaged caches, which may contain tokens.
  func removeSetAside(holding lock: TokenCacheLock) async throws(AuthenticationError)
}

/// Creates the directory of one of the cache's files.
func createDirectory(of path: String) throws(AuthenticationError) {
  do throws(FileError) {
    try PrivateDirectory(of: path).create()
  } catch {
    throw AuthenticationError(error, otherwise: .notWritable)
  }
}
