import MSAuthCore
import MSAuthCrypto
import MSAuthUnix

/// Encrypts a cache file with a key from another file, for services without a keyring.
///
/// systemd passes such a key only to the service (`LoadCredentialEncrypted=`, systemd.exec(5)).
package struct StoreEncryption: Sendable {
  /// The file with the key.
  let keyFile: String

  /// The start of an encrypted cache; a plain one begins with `{`.
  private static let header = Array("msauth encrypted token cache 1\n".utf8)
  private static let minimumKeySize = 32
  private static let maximumKeySize = 4 << 10

  struct Key: Sendable {
    fileprivate let bytes: [UInt8]
    /// For messages.
    fileprivate let file: String

    func seal(_ content: [UInt8]) throws(AuthenticationError) -> [UInt8] {
      do {
        return header + (try AES256GCM.seal(content, key: bytes, header: header))
      } catch {
        throw AuthenticationError(store: .keyUnusable, "the token cache can't be encrypted: \(error.message)")
      }
    }

    func open(_ sealed: [UInt8], from path: String) throws(AuthenticationError) -> [UInt8] {
      let content: [UInt8]?
      do {
        content = try AES256GCM.open(Array(sealed.dropFirst(header.count)), key: bytes, header: header)
      } catch {
        throw AuthenticationError(store: .keyUnusable, "\(path.printable()) can't be decrypted: \(error.message)")
      }
      if let content { return content }
      throw AuthenticationError(
        store: .keyUnusable,
        "\(path.printable()) can't be decrypted with the key in \(file.printable()): it was encrypted with another "
          + "key, or was changed",
        hint: "use the original key; if it is lost, remove \(path) and sign in again"
      )
    }
  }

  /// Names the key's file, which is read when a key is needed.
  package init(keyFile: String) { self.keyFile = keyFile }

  static func isEncrypted(_ bytes: [UInt8]) -> Bool { bytes.starts(with: header) }

  /// The content of a file that may be encrypted.
  static func content(
    of bytes: [UInt8],
    _ encryption: StoreEncryption?,
    from path: String
  ) throws(AuthenticationError) -> [UInt8] {
    guard isEncrypted(bytes) else { return bytes }
    guard let encryption else {
      let hint: Hint = "name the file with its key: \(setting: "store_key_file", or: "the store key file")"
      let message = "\(path.printable()) is encrypted, and no key is configured"
      throw AuthenticationError(store: .keyUnusable, message, hint: hint)
    }
    return try encryption.readKey().open(bytes, from: path)
  }

  func readKey() throws(AuthenticationError) -> Key {
    let bytes: [UInt8]
    do {
      bytes = try readTrustedFile(at: keyFile, limit: Self.maximumKeySize, requiring: .credential)
    } catch {
      let hint: Hint = "restore the original key; if it is lost, remove the token cache and sign in again"
      let message = "the token cache's key can't be read: \(error)"
      throw AuthenticationError(store: .keyUnusable, message, hint: error.hint ?? hint)
    }
    guard bytes.count >= Self.minimumKeySize else {
      let message = "the token cache's key in \(keyFile.printable()) has fewer than \(Self.minimumKeySize) bytes"
      let hint: Hint = "create one with: head -c 32 /dev/urandom | base64"
      throw AuthenticationError(store: .keyUnusable, message, hint: hint)
    }
    return Key(bytes: Digest.sha256.hash(bytes), file: keyFile)
  }
}
