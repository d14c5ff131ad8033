package import Core
/// The lock of a running sign-in, held for minutes while the cache itself stays free.
package struct SignInLock: Sendable {
  private let path: String

  /// Names the lock; nothing is opened yet.
  package init(beside cacheFile: String, for purpose: String) {
    path = "\(cacheFile).signin-\(purpose).lockfile"
  }

  /// Takes the lock.
  package func acquire(within timeout: Duration) async throws(Failure) -> TokenCacheLock {
    try await LockFile(path: path).acquire(within: timeout)
  }
}
