import FoundationEssentials
import Glibc
package import MSAuthCore
import MSAuthCrypto
import MSAuthUnix

/// A cache in a keyring item, as in MSAL Python's `LibsecretPersistence`; .NET and Go wrap the JSON in Base64.
package struct SecretServiceStore: TokenCacheStore {
  let item: KeyringItem
  /// An empty file whose modification time is that of the item's last change.
  package let signalPath: String
  /// The lock that every writer respects; other MSAL libraries lock beside the signal file.
  let lockPath: String
  /// Whether the user can respond to the keyring's prompt; otherwise a locked keyring fails at once.
  private let mayPrompt: Bool

  /// Names an item; no library is opened yet.
  package init(item: KeyringItem, signalPath: String, lockPath: String? = nil, mayPrompt: Bool) {
    self.item = item
    self.signalPath = signalPath
    self.lockPath = lockPath ?? signalPath + ".lockfile"
    self.mayPrompt = mayPrompt
  }

  /// This item for work in the background.
  package var withoutPrompts: SecretServiceStore {
    SecretServiceStore(item: item, signalPath: signalPath, lockPath: lockPath, mayPrompt: false)
  }

  package var name: String { "the keyring" }

  package func load() async throws(AuthenticationError) -> TokenCacheDocument {
    guard let text = try await keyring.lookUp() else { return TokenCacheDocument() }
    let name = "the keyring's item \"\(item.label.printable())\""
    // No library stores an empty secret: a write failed, and the old secret is lost.
    guard !text.isEmpty else { throw AuthenticationError(damaged: name, Rejection("is empty")) }
    do {
      return try TokenCacheDocument(parsing: Payload(text).json)
    } catch {
      throw AuthenticationError(damaged: name, error)
    }
  }

  private static let sharedMemory = RuntimeDirectory.inSharedMemory()

  /// In memory, so that no token reaches the disk; every process that takes this lock finds it.
  package var journal: Journal? {
    let directory = lockPath.parentDirectory
    // A sandbox can share this directory, and several items share the lock.
    if RuntimeDirectory(directory).endsWithSession { return Journal(beside: "\(lockPath).\(item.identifier)") }
    guard let memory = Self.sharedMemory else { return nil }
    // The holder of another lock may use another keyring, with an item of the same name.
    let lock = resolved(directory).appendingPathComponent(lockPath.pathComponents.last ?? "")
    let lockIdentifier = Digest.sha256.hash(Array(lock.utf8)).prefix(4).hexadecimal
    return Journal(beside: "\(memory)/keyring.\(lockIdentifier).\(item.identifier)")
  }

  package func acquire(within timeout: Duration) async throws(AuthenticationError) -> TokenCacheLock {
    let deadline = Deadline(in: timeout)
    let lock = try await LockFile(path: lockPath).acquire(within: timeout)
    // Sandboxes may share the keyring without sharing the lock file's directory.
    if let name = try await BusName.own("io.github.msauth.keyring.item_\(item.identifier)", until: deadline) {
      lock.onRelease { name.release() }
    }
    return lock
  }

  package func save(_ document: TokenCacheDocument, holding lock: TokenCacheLock) async throws(AuthenticationError) {
    try lock.checkHolds(lockPath)
    let bytes = document.serialized()
    let text = try await keyring.lookUp()
    let before = text.map { Payload($0) }
    // Some keyrings prompt the user at each write.
    if let before, before.json == bytes { return }
    let new = Payload(json: bytes, isBase64: before?.isBase64 ?? (item.encoding == .base64)).text
    // The lookup may have waited for a prompt.
    try lock.checkHolds(lockPath)
    do throws(AuthenticationError) {
      try await keyring.store(new)
    } catch {
      guard [.keyringFailed, .keyringUnresponsive].contains(error.reason) else { throw error }
      try await repair(after: error, from: text, to: new)
    }
    try await touchSignalFile()
  }

  /// After a failed or unconfirmed write, waits for the keyring and restores the previous secret if it is lost.
  private func repair(after failure: AuthenticationError, from old: String?, to new: String)
    async throws(AuthenticationError)
  {
    var failure = failure
    if failure.reason == .keyringUnresponsive, try await !respondsAgain() {
      failure.message += "; it may or may not have stored the new tokens"
      throw failure
    }
    do throws(AuthenticationError) {
      let kept = try await keyring.lookUp()
      if kept == new { return }
      if kept != old {
        if let old { try await keyring.store(old) } else { try await keyring.clear() }
      }
    } catch {
      failure.message += "; its accounts and tokens may be lost"
    }
    throw failure
  }

  /// How often to check a keyring that stopped responding during a write; each check takes some seconds.
  private static let maximumChecks = 3

  /// Waits until a keyring that stopped responding responds again.
  private func respondsAgain() async throws(AuthenticationError) -> Bool {
    for _ in 0..<Self.maximumChecks {
      do throws(AuthenticationError) {
        return try await keyring.check() == .open
      } catch {
        if error.code == .canceled { throw error }
        guard error.reason == .keyringUnresponsive else { return false }
      }
    }
    return false
  }

  /// Needs no probe: some keyrings prompt at each write.
  package func checkSave(holding lock: TokenCacheLock) async throws(AuthenticationError) -> Int {
    try lock.checkHolds(lockPath)
    try await checkSignalFile()
    try await keyring.unlock()
    return Journal.growth
  }

  package func setAside(holding lock: TokenCacheLock) async throws(AuthenticationError) -> String? {
    try lock.checkHolds(lockPath)
    guard let text = try await keyring.lookUp() else { return nil }
    let date = utcStamp()
    let damaged = item.sibling("damaged", ["set_aside": date], label: "damaged \(date)")
    try await keyring(of: damaged).store(text)
    try await keyring.clear()
    try await touchSignalFile()
    return "the keyring's item \"\(damaged.label.printable())\""
  }

  package func removeSetAside(holding lock: TokenCacheLock) async throws(AuthenticationError) {
    try lock.checkHolds(lockPath)
    journal?.remove()
    try await keyring(of: item.sibling("damaged", [:], label: "damaged")).clear()
  }

  /// Stores and removes an item: a lookup can succeed where a write would wait for a prompt that the user can't see.
  ///
  /// All processes use the same item, under the lock, so the next probe removes what an aborted one left.
  package func probe(holding lock: TokenCacheLock) async throws(AuthenticationError) {
    try lock.checkHolds(lockPath)
    let probe = keyring(of: item.sibling("probe", ["probe": "1"], label: "probe"))
    try await probe.store(String(UInt64.random(in: .min ... .max), radix: 16))
    try await probe.clear()
  }

  /// Never prompts.
  @discardableResult
  package func check() async throws(AuthenticationError) -> KeyringCondition { try await keyring.check() }

  private var keyring: Keyring { keyring(of: item) }

  private func keyring(of item: KeyringItem) -> Keyring { Keyring(item: item, mayPrompt: mayPrompt) }
}

extension SecretServiceStore {
  /// Sets its modification time, and creates it if it is missing.
  private func touchSignalFile() async throws(AuthenticationError) {
    try await BackgroundThread.run { _ throws(AuthenticationError) in
      try createDirectory(of: signalPath)
      let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
      let descriptor = retryingInterrupted { open(signalPath, flags, 0o600) }
      guard descriptor >= 0 else { throw signalFileFailed() }
      futimens(descriptor, nil)
      close(descriptor)
    }
  }

  /// Checks that it can be touched, without creating it: the file means that the keyring is in use.
  private func checkSignalFile() async throws(AuthenticationError) {
    try await BackgroundThread.run { _ throws(AuthenticationError) in
      try createDirectory(of: signalPath)
      if access(signalPath, W_OK) == 0 { return }
      guard errno == ENOENT, access(signalPath.parentDirectory, W_OK) == 0 else { throw signalFileFailed() }
    }
  }

  private func signalFileFailed() -> AuthenticationError {
    AuthenticationError(notWritable: errno, "\(signalPath.printable()), the keyring's signal file, can't be written")
  }
}

/// An item's secret: JSON, plain or in Base64.
struct Payload: Equatable {
  let json: [UInt8]
  let isBase64: Bool

  var text: String { isBase64 ? Data(json).base64EncodedString() : String(decoding: json, as: UTF8.self) }
}

extension Payload {
  init(_ text: String) {
    // Base64 has no braces or quotes, so the two can't be confused.
    let data = Data(base64Encoded: text) ?? Data()
    self.init(json: data.isEmpty ? Array(text.utf8) : [UInt8](data), isBase64: !data.isEmpty)
  }
}
