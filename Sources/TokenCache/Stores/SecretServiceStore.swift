import Core
import FoundationEssentials
import Unix

/// A cache in one item of the desktop's keyring, as MSAL Python's `LibsecretPersistence` keeps it.
///
/// The item's secret is the JSON text itself. .NET and Go wrap it in Base64; such an item is read as well, and written
/// back the way it was found. Calls take seconds while a keyring starts or a person is asked.
package struct SecretServiceStore: TokenCacheStore {
  /// Which item it is.
  package let configuration: SecretServiceConfiguration

  /// Names an item; no library is opened yet.
  package init(configuration: SecretServiceConfiguration) {
    self.configuration = configuration
  }

  package var place: String { "the keyring" }

  /// The file that others watch for changes.
  package var signalPath: String { configuration.signalPath }

  package func load() async throws(TokenCacheError) -> TokenCacheDocument {
    guard let text = try await keyring.lookUp() else { return TokenCacheDocument() }
    let name = "the keyring's item \"\(configuration.label.printable())\""
    // No library stores nothing: a write failed, and what was there is lost.
    guard !text.isEmpty else { throw TokenCacheError.damaged("it is empty").damage(of: name) }
    do {
      return try TokenCacheDocument(parsing: Payload(text).json)
    } catch {
      throw error.damage(of: name)
    }
  }

  package func lock(within timeout: Duration) async throws(TokenCacheError) -> TokenCacheLock {
    try await LockFile(path: lockPath).acquire(within: timeout)
  }

  package func save(_ document: TokenCacheDocument, holding lock: TokenCacheLock) async throws(TokenCacheError) {
    try lock.require(for: lockPath)
    let bytes = document.serialized()
    let text = try await keyring.lookUp()
    let before = text.map { Payload($0) }
    // Some keyrings ask the person at each write.
    if let before, before.json == bytes { return }
    do throws(TokenCacheError) {
      try await keyring.store(Payload(json: bytes, isBase64: before?.isBase64 ?? configuration.isBase64).text)
    } catch {
      var error = error
      if error.kind == .keyringFailed, !(await restored(text)) {
        error.message += "; the accounts and tokens that it held are lost"
      }
      throw error
    }
    try await SignalFile(path: signalPath).touch()
  }

  /// Puts back what was in the item before a write that failed, where the keyring did not keep it.
  ///
  /// - Parameter text: The item's secret; nil if there was no item.
  /// - Returns: Whether it is there.
  private func restored(_ text: String?) async -> Bool {
    do {
      if try await keyring.lookUp() == text { return true }
      if let text { try await keyring.store(text) } else { try await keyring.clear() }
      return true
    } catch {
      return false
    }
  }

  /// Makes sure that the keyring is unlocked, and that others can be told of the write.
  ///
  /// To write there is no proof needed before: some keyrings ask the person at each write.
  package func checkWritable(holding lock: TokenCacheLock) async throws(TokenCacheError) {
    try lock.require(for: lockPath)
    try await SignalFile(path: signalPath).checkWritable()
    try await keyring.unlock()
  }

  package func setAside(holding lock: TokenCacheLock) async throws(TokenCacheError) -> String? {
    try lock.require(for: lockPath)
    guard let text = try await keyring.lookUp() else { return nil }
    let date = UTCStamp.now()
    let aside = SecretServiceStore(
      configuration: configuration.aside("damaged", ["set_aside": date], label: "damaged \(date)")
    )
    try await aside.keyring.store(text)
    try await keyring.clear()
    try await SignalFile(path: signalPath).touch()
    return "the keyring's item \"\(aside.configuration.label.printable())\""
  }

  package func removeSetAside(holding lock: TokenCacheLock) async throws(TokenCacheError) {
    try lock.require(for: lockPath)
    let aside = configuration.aside("damaged", [:], label: "damaged")
    try await Keyring(item: aside).clear()
  }

  /// Makes sure that the keyring keeps things, by an item that it then removes.
  ///
  /// A look-up alone proves nothing: it can succeed where a write would wait for a prompt that nobody sees.
  ///
  /// - Throws: ``TokenCacheError`` of one of the keyring kinds.
  package func probe() async throws(TokenCacheError) {
    let mark = String(UInt64.random(in: .min ... .max), radix: 16)
    let probe = SecretServiceStore(configuration: configuration.aside("probe", ["probe": mark], label: "probe"))
    try await probe.keyring.store(mark)
    try await probe.keyring.clear()
  }

  /// Makes sure that the keyring answers; a locked one does, if somebody can unlock it.
  package func check() async throws(TokenCacheError) {
    try await keyring.check()
  }

  private var lockPath: String { configuration.lockPath }

  private var keyring: Keyring { Keyring(item: configuration) }
}

extension SecretServiceConfiguration {
  /// Another item beside the cache's, which its look-ups do not find.
  fileprivate func aside(_ name: String, _ more: [String: String], label suffix: String) -> SecretServiceConfiguration {
    var other = self
    other.schema += ".\(name)"
    // Whoever looks by the attributes alone must not find this one; the others see that the schema is another one.
    other.attributes = matchesSchema ? attributes.merging(more) { _, new in new } : more
    other.matchesSchema = true
    other.label += " (\(suffix))"
    return other
  }
}

/// An item's secret: JSON as it is, or in Base64.
struct Payload: Equatable {
  let json: [UInt8]
  let isBase64: Bool

  init(json: [UInt8], isBase64: Bool) {
    self.json = json
    self.isBase64 = isBase64
  }

  init(_ text: String) {
    // JSON's braces and quotes are not in Base64's alphabet, so the two cannot be confused.
    if let data = Data(base64Encoded: text), !data.isEmpty {
      self.init(json: [UInt8](data), isBase64: true)
    } else {
      self.init(json: Array(text.utf8), isBase64: false)
    }
  }

  var text: String {
    isBase64 ? Data(json).base64EncodedString() : String(decoding: json, as: UTF8.self)
  }
}
