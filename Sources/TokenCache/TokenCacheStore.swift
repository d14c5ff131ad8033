package import Core
/// Where the token cache is kept: the seam between the flows and the disk, the keyring or memory.
///
/// Files, locks and keyrings block, so every call that touches them runs on a thread of its own. A cancelled call
/// throws ``Failure`` with the reason `cancelled` as soon as nothing is left half done.
package protocol TokenCacheStore: Sendable {
  /// What to call the place in a message.
  var place: String { get }

  /// Reads the cache, without a lock; nothing there is an empty cache.
  func load() async throws(Failure) -> TokenCacheDocument

  /// Takes the lock that all writers of this cache respect, other processes and other MSAL libraries among them.
  func lock(within timeout: Duration) async throws(Failure) -> TokenCacheLock

  /// Makes sure that the cache can be written, as far as that can be known before, and reserves what the next save under
  /// this lock needs.
  ///
  /// A provider that accepts a refresh token once must not be asked when its answer could not be kept.
  func checkWritable(holding lock: TokenCacheLock) async throws(Failure)

  /// Writes the cache, whole or not at all.
  func save(_ document: TokenCacheDocument, holding lock: TokenCacheLock) async throws(Failure)

  /// Takes a damaged cache out of the way, so that a sign-in can begin a new one; nothing is overwritten or deleted.
  func setAside(holding lock: TokenCacheLock) async throws(Failure) -> String?

  /// Removes all that ``setAside(holding:)`` took out of the way; there may be tokens in it.
  func removeSetAside(holding lock: TokenCacheLock) async throws(Failure)
}
