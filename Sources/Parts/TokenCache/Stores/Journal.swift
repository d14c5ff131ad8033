import Glibc
import MSAuthCore
import MSAuthUnix

/// A change of the cache, in a file beside the cache or its lock until the cache has it: a refresh token that was spent for it can't be
/// spent again.
///
/// The file exists before the token is spent, so that keeping the change takes one write. Whoever takes the lock next
/// applies the change of a process that died or couldn't write the cache.
package struct Journal: Sendable {
  /// More than a token response adds to the cache.
  static let growth = 256 << 10
  private static let maximumSize = 2 << 20

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
    fileprivate let encryption: StoreEncryption?
    let key: StoreEncryption.Key?
  }

  /// Creates the file; `space` is what the cache will need on the disk.
  func create(reserving space: Int) throws(AuthenticationError) -> File {
    // The token is spent after this, so its successor must not fail for want of a key.
    let key = try encryption?.readKey()
    if let encryption, let key { _ = try encryption.seal([], with: key) }
    do throws(FileError) {
      let descriptor = try createPrivateFile(at: path, reserving: space)
      return File(path: path, descriptor: descriptor, encryption: encryption, key: key)
    } catch {
      throw AuthenticationError(notWritten: path, error)
    }
  }

  /// The change that was left, if there is one; of what was never written completely, nothing is.
  func read() throws(AuthenticationError) -> JSONValue.Object? {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try readFile(at: path, limit: Self.maximumSize, requiring: .secret).bytes
    } catch {
      if error.reason == .missing { return nil }
      throw AuthenticationError(error, otherwise: .notReadable)
    }
    guard !bytes.isEmpty else { return [:] }
    let content = try StoreEncryption.content(of: bytes, encryption, from: path)
    return (try? JSONValue.object(parsing: content)) ?? [:]
  }

  func remove() { unlink(path) }
}

extension Journal.File {
  /// Writes the change; returns whether the lock's next holder will find it.
  func write(_ change: JSONValue.Object) -> Bool {
    var bytes = JSONValue.object(change).serialized()
    if let encryption, let key {
      guard let sealed = try? encryption.seal(bytes, with: key) else { return false }
      bytes = sealed
    }
    guard writeAll(bytes, to: descriptor) == nil else { return false }
    // The rest of the reserved space is for the cache.
    _ = ftruncate(descriptor, off_t(bytes.count))
    return isOpenFile(descriptor, at: path) == true
  }

  /// Makes a change that stays for the next holder of the lock survive a power failure.
  func synchronize() { _ = fsync(descriptor) }

  func close() { Glibc.close(descriptor) }

  /// Removes the file, unless another process has replaced it.
  func remove() {
    if isOpenFile(descriptor, at: path) == true { unlink(path) }
    close()
  }
}
