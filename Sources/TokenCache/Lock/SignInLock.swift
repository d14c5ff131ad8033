package import Core
/// The lock beside a cache that says: a person is being asked.
///
/// It is held for minutes, while the cache itself stays free for everybody.
package struct SignInLock: Sendable {
  private let path: String

  /// Names the lock; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - cacheFile: The cache that the sign-in will write to.
  ///   - purpose: What is asked of the person, as a word fit for a file name.
  package init(beside cacheFile: String, for purpose: String) {
    path = "\(cacheFile).signin-\(purpose).lockfile"
  }

  /// Takes the lock.
  ///
  /// - Parameter timeout: How long to wait for its owner.
  /// - Returns: The lock, held.
  /// - Throws: ``Failure`` with the reason `locked` that names the owner.
  package func acquire(within timeout: Duration) async throws(Failure) -> TokenCacheLock {
    try await LockFile(path: path).acquire(within: timeout)
  }
}
