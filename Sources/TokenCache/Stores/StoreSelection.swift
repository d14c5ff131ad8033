import Glibc
import Unix

/// Where `auto` keeps the cache.
///
/// The accounts must be where the user left them, in a session with a keyring and in one without. Hence:
/// 1. A keyring that was used before (its signal file is there) stays the choice while it answers, and also while it is
///    locked: its error says so. In a session without it, the file serves, and keeps that session's accounts.
/// 2. Otherwise a cache file that is there stays the choice, and no keyring is asked.
/// 3. Otherwise, on the first use, the keyring is taken if it keeps a probe, else the file.
///
/// So each kind of session finds the same store each time, nothing is ever moved, and only rules 1 and 3 ask a keyring.
package struct StoreSelection: Sendable {
  /// The store.
  package let store: any TokenCacheStore
  /// Whether it is the keyring.
  package let isKeyring: Bool
  /// What to tell the user, the first time alone: that tokens go to a file, and why.
  package let notice: String?

  /// Chooses, which takes seconds where a keyring must start.
  ///
  /// - Throws: ``TokenCacheError`` of kind `cancelled` alone.
  package static func automatic(
    keyring: SecretServiceStore,
    file: FileStore
  ) async throws(TokenCacheError) -> StoreSelection {
    let (hasFile, hasUsedKeyring) = await BackgroundThread.run { _ in
      (exists(file.path), exists(keyring.signalPath))
    }
    do throws(TokenCacheError) {
      if hasUsedKeyring {
        try await keyring.check()
      } else if hasFile {
        return StoreSelection(store: file, isKeyring: false, notice: nil)
      } else {
        try await keyring.probe()
      }
      return StoreSelection(store: keyring, isKeyring: true, notice: nil)
    } catch {
      if error.kind == .cancelled { throw error }
      if error.kind == .keyringLocked, hasUsedKeyring {
        return StoreSelection(store: keyring, isKeyring: true, notice: nil)
      }
      let notice = "\(error.message); accounts and tokens are kept in \(file.path), which only you can read"
      return StoreSelection(store: file, isKeyring: false, notice: hasFile ? nil : notice)
    }
  }

  private static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }
}
