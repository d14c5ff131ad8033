import Glibc
import MSAuthUnix
import Synchronization

/// The token store, settled at its first use: a keyring may take seconds to respond, and may be locked.
///
/// With `automatic`, the accounts must stay where the user left them, in sessions with and without a keyring:
/// 1. A keyring that was used before (its signal file exists) stays the choice. While it is locked or doesn't respond,
///    that is an error, since another store may contain another user's account. Only in a session without any keyring,
///    the file contains that session's accounts, and each use reports that.
/// 2. Otherwise an existing file stays the choice, without a request to a keyring.
/// 3. Otherwise the first write chooses: the keyring if a probe item can be stored, else the file. Reading proves nothing
///    about writing, which may wait for an invisible prompt.
final class StoreChoice: Sendable {
  private typealias Candidates = (keyring: SecretServiceStore, file: FileStore)

  private struct Choice {
    /// `nil` until it is settled.
    var store: (any TokenCacheStore)?
    /// Whether the keyring responds; then the first write chooses.
    var hasAskedKeyring = false
    var cacheFile: String?
    var notice: String?
    var warning: String?
  }

  private let candidates: Candidates?
  private let choice: Mutex<Choice>
  private let onWarning: @Sendable (String) -> Void

  init(_ store: any TokenCacheStore, cacheFile: String? = nil) {
    candidates = nil
    choice = Mutex(Choice(store: store, cacheFile: cacheFile))
    onWarning = { _ in }
  }

  init(
    keyring: SecretServiceStore,
    file: FileStore,
    hasAskedKeyring: Bool = false,
    onWarning: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    candidates = (keyring, file)
    choice = Mutex(Choice(hasAskedKeyring: hasAskedKeyring, cacheFile: keyring.signalPath))
    self.onWarning = onWarning
  }

  var place: String { choice.withLock { $0.store }?.name ?? candidates?.keyring.name ?? "" }

  /// Identifies the store to other processes; `nil` if none shares it.
  var cacheFile: String? { choice.withLock { $0.cacheFile } }

  /// What to report at a sign-in: that tokens are stored in a file, and why.
  var notice: String? { choice.withLock { $0.notice } }

  /// What to report at every use: that this session's accounts aren't those in the keyring.
  var warning: String? { choice.withLock { $0.warning } }

  /// The store to read; before the first write the keyring, without choosing it.
  func readable() async throws(Failure) -> any TokenCacheStore {
    if let store = choice.withLock({ $0.store }) { return store }
    guard let candidates else { preconditionFailure("without candidates, the choice is settled") }
    return try await found(of: candidates) ?? candidates.keyring
  }

  func load() async throws(Failure) -> TokenCacheDocument {
    let store = try await readable()
    do throws(Failure) {
      return try await store.load()
    } catch {
      guard choice.withLock({ $0.store }) == nil, let file = candidates?.file, error.isOfKeyring else { throw error }
      return try await file.load()
    }
  }

  /// The store to write to, chosen now if it wasn't before.
  func settled(within timeout: Duration = storeLockTimeout) async throws(Failure) -> any TokenCacheStore {
    if let store = choice.withLock({ $0.store }) { return store }
    guard let candidates else { preconditionFailure("without candidates, the choice is settled") }
    if let store = try await found(of: candidates) { return store }
    let lock = try await candidates.keyring.lock(within: timeout)
    return try await lock.whileHeld { () async throws(Failure) -> any TokenCacheStore in
      // Another process may have held the lock before.
      if let store = try await found(of: candidates) { return store }
      do throws(Failure) {
        try await candidates.keyring.probe(holding: lock)
        return settle(on: candidates.keyring, at: candidates.keyring.signalPath)
      } catch {
        guard error.isOfKeyring else { throw error }
        return settle(on: candidates.file, because: error)
      }
    }
  }

  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// The store, if another call or process has chosen it.
  private func found(of candidates: Candidates) async throws(Failure) -> (any TokenCacheStore)? {
    let (keyring, file) = candidates
    let (hasFile, hasUsedKeyring) = await BackgroundThread.run { _ in
      (Self.exists(file.path), Self.exists(keyring.signalPath))
    }
    let (settled, hasAsked) = choice.withLock { ($0.store, $0.hasAskedKeyring) }
    if let settled { return settled }
    if !hasUsedKeyring, hasFile { return settle(on: file, at: file.path) }
    if !hasUsedKeyring, hasAsked { return nil }
    do throws(Failure) {
      try await keyring.check()
    } catch {
      switch error.reason {
      case _ where error.code == .canceled: throw error
      case .keyringLocked where hasUsedKeyring: break
      case .keyringAbsent where hasUsedKeyring:
        return settle(
          on: file,
          at: file.path,
          warning: "\(error.message), so its accounts aren't available; this session's are stored in "
            + "\(file.path.printable()), which only you can read"
        )
      case _ where hasUsedKeyring: throw error
      default: return settle(on: file, because: error)
      }
    }
    if hasUsedKeyring { return settle(on: keyring, at: keyring.signalPath) }
    choice.withLock { $0.hasAskedKeyring = true }
    return nil
  }

  private func settle(on file: FileStore, because failure: Failure) -> any TokenCacheStore {
    settle(
      on: file,
      at: file.path,
      notice: "\(failure.message); accounts and tokens are stored in \(file.path.printable()), which only you can read"
    )
  }

  /// Chooses once; the first choice stays.
  private func settle(
    on store: any TokenCacheStore,
    at cacheFile: String,
    notice: String? = nil,
    warning: String? = nil
  ) -> any TokenCacheStore {
    let (settled, isFirst) = choice.withLock { choice in
      if let settled = choice.store { return (settled, false) }
      choice = Choice(store: store, cacheFile: cacheFile, notice: notice, warning: warning)
      return (store, true)
    }
    if isFirst, let warning { onWarning(warning) }
    return settled
  }
}

extension Failure {
  /// Whether there is no keyring, or it doesn't work.
  fileprivate var isOfKeyring: Bool {
    [.keyringAbsent, .keyringLocked, .keyringMute, .keyringDismissed, .keyringFailed].contains(reason)
  }
}

/// How long to wait for another process: its token request may take 30 s and be retried.
let storeLockTimeout: Duration = .seconds(75)

extension TokenCacheStore {
  func locked() async throws -> TokenCacheLock { try await lock(within: storeLockTimeout) }

  /// `nil` if another process holds the lock for that long and it isn't required.
  func lock(within timeout: Duration, isRequired: Bool) async throws -> TokenCacheLock? {
    do throws(Failure) {
      return try await lock(within: timeout)
    } catch {
      try Task.checkCancellation()
      guard error.reason == .locked, !isRequired else { throw error }
      return nil
    }
  }

  /// Removes the damaged caches that were set aside.
  func removeSetAside() async throws {
    let lock = try await locked()
    try await lock.whileHeld { try await removeSetAside(holding: lock) }
  }

  /// Reads, changes and writes the document under the lock.
  func change<Value>(_ body: (inout TokenCacheDocument) throws -> Value) async throws -> Value {
    let lock = try await locked()
    return try await lock.whileHeld {
      var document = try await load()
      let value = try body(&document)
      try await save(document, holding: lock)
      return value
    }
  }
}
