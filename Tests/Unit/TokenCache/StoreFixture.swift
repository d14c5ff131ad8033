import TestSupport

@testable import MSAuthCache

/// A file store in a temporary directory.
final class StoreFixture: Sendable {
  let home: Home
  var folder: String { home.path("state") }

  init() throws { home = try Home() }

  var path: String { folder + "/token_cache.json" }
  var lockPath: String { path + ".lockfile" }
  var store: FileStore { FileStore(path: path) }
  var keyPath: String { home.path("key") }

  /// A store with a new key file.
  var encryptedStore: FileStore {
    get throws {
      try write(String(repeating: "k", count: 32), to: keyPath)
      return FileStore(path: path, encryption: StoreEncryption(keyFile: keyPath))
    }
  }

  func write(_ text: String, to path: String? = nil, mode: mode_t = 0o600) throws {
    let path = path ?? self.path
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, mode)
  }

  func read(_ path: String? = nil) throws -> String {
    try String(contentsOfFile: path ?? self.path, encoding: .utf8)
  }

  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  func save(_ document: TokenCacheDocument) async throws {
    let lock = try await store.lock(within: .seconds(20))
    try await lock.whileHeld { try await store.save(document, holding: lock) }
  }

  /// Sets the lock file's date back by seconds.
  func ageLock(by seconds: Int) throws {
    try FileManager.default.setAttributes([.modificationDate: Date.now - TimeInterval(seconds)], ofItemAtPath: lockPath)
  }
}
