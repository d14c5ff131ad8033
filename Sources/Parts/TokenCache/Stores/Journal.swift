import Glibc
package import MSAuthCore
import MSAuthCrypto
import MSAuthUnix

/// A file with a change that cost a refresh token, until the cache contains it: the token can't be spent again.
///
/// The file exists before the token is spent, so that keeping the change takes one write. The lock's next holder stores
/// the change of a process that died or couldn't write the cache.
package struct Journal: Sendable {
  /// More than a token response adds to the cache.
  static let growth = 1 << 20
  private static let maximumSize = 2 << 20

  package struct Change: Equatable {
    /// The digest of the spent token: only a cache that still has it lacks the change.
    let spent: String
    /// A merge patch.
    let patch: JSONValue.Object
  }

  let path: String
  private let encryption: StoreEncryption?

  init(beside path: String, encryption: StoreEncryption? = nil) {
    self.path = path + ".journal"
    self.encryption = encryption
  }

  /// A file that was created for the next change.
  struct File: Sendable {
    fileprivate let path: String
    fileprivate let descriptor: Int32
    fileprivate let key: StoreEncryption.Key?
  }

  /// Creates the file; `space` is what the cache will need on the disk.
  func create(reserving space: Int) throws(AuthenticationError) -> File {
    // The token is spent after this, so its successor must not fail for want of a key.
    let key = try encryption?.readKey()
    _ = try key?.seal([])
    do throws(FileError) {
      let descriptor = try createPrivateFile(at: path, reserving: space, orFilling: Self.growth)
      return File(path: path, descriptor: descriptor, key: key)
    } catch {
      throw AuthenticationError(notWritten: path, error)
    }
  }

  /// The change that another process left; `nil` without one, or if it wasn't written completely.
  func read() throws(AuthenticationError) -> Change? {
    guard let bytes = try readSecretFile(at: path, limit: Self.maximumSize) else { return nil }
    let line = bytes.firstLine
    guard let count = Int(line.prefix { $0 != " " }), count > 0 else { return nil }
    // The rest of the reserved space may follow.
    let content = Array(bytes.dropFirst(line.utf8.count + 1).prefix(count))
    guard line.isIdentical(to: Self.firstLine(of: content)) else { return nil }
    return Change(try StoreEncryption.content(of: content, encryption, from: path))
  }

  /// The content's length and digest, which show whether it was written completely.
  fileprivate static func firstLine(of content: [UInt8]) -> String {
    "\(content.count) \(Base64URL.encode(Digest.sha256.hash(content)))"
  }

  var exists: Bool { access(path, F_OK) == 0 }

  package func remove() { unlink(path) }
}

extension Journal.File {
  /// Writes the change; returns whether the lock's next holder will find it.
  func write(_ change: Journal.Change) -> Bool {
    let change = change.serialized()
    guard let content = try? key?.seal(change) ?? change else { return false }
    let bytes = Array("\(Journal.firstLine(of: content))\n".utf8) + content
    guard writeAll(bytes, to: descriptor) == nil else { return false }
    // The rest of the reserved space is for the cache.
    _ = ftruncate(descriptor, off_t(bytes.count))
    return isOpenFile(descriptor, at: path) != false
  }

  /// Makes a change that stays for the lock's next holder survive a power failure; returns whether it is on the disk.
  func synchronize() -> Bool {
    let isWritten = retryingInterrupted { fsync(descriptor) } == 0
    synchronizeDirectory(of: path)
    return isWritten
  }

  func close() { Glibc.close(descriptor) }

  /// Removes the file, unless another process has replaced it.
  func remove() {
    if isOpenFile(descriptor, at: path) == true { unlink(path) }
    close()
  }
}

extension Journal.Change {
  fileprivate init?(_ bytes: [UInt8]) {
    guard let json = try? JSONValue.object(parsing: bytes, options: TokenCacheDocument.readOptions),
      let spent = json["spent"]?.string, let patch = json["patch"]?.object
    else { return nil }
    self.init(spent: spent, patch: patch)
  }

  fileprivate func serialized() -> [UInt8] {
    JSONValue.object(["spent": .string(spent), "patch": .object(patch)]).serialized()
  }
}

extension Secret {
  /// Identifies the secret where the secret must not be stored.
  package var digest: String { Base64URL.encode(Digest.sha256.hash(Array(revealed.utf8))) }
}

// JSON Merge Patch (RFC 7396), in which a member with null is one to remove: entries of a cache have no such members.
extension JSONValue.Object {
  func mergePatch(to new: Self) -> Self {
    let old = Dictionary(map { (JSONValue.string($0.key), $0.value) }) { _, last in last }
    var patch = new.compactMap { name, value -> (String, JSONValue)? in
      guard let before = old[.string(name)] else { return (name, value) }
      guard let members = value.object, let membersBefore = before.object else {
        return value == before ? nil : (name, value)
      }
      let changes = membersBefore.mergePatch(to: members)
      return changes.isEmpty ? nil : (name, .object(changes))
    }
    let names = Set(new.keys.map(JSONValue.string))
    patch += keys.filter { !names.contains(.string($0)) }.map { ($0, .null) }
    return Self(patch)
  }

  mutating func apply(mergePatch: Self) {
    for (name, value) in mergePatch {
      guard let changes = value.object else {
        self[name] = value == .null ? nil : value
        continue
      }
      var members = self[name]?.object ?? [:]
      members.apply(mergePatch: changes)
      self[name] = .object(members)
    }
  }
}

extension Journal.Change: Redacted {
  package var description: String { "Journal.Change" }
}
