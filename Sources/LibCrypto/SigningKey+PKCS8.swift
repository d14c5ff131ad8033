package import Core
import CLibCrypto

// A key that outlives the process, kept as PKCS #8.
extension SigningKey {
  /// The maximum length of a key in PEM or DER, in bytes; an RSA key of 16384 bits has some 9 KB.
  static let maximumByteCount = 16 * 1024

  /// The private key, to be kept.
  package func exported() throws(Failure) -> PrivateKeyBytes {
    let bytes: [UInt8]? = handle.borrow { key in
      guard let form = crypto.EVP_PKEY2PKCS8(key) else { return nil }
      defer { crypto.PKCS8_PRIV_KEY_INFO_free(form) }
      let length = crypto.i2d_PKCS8_PRIV_KEY_INFO(form, nil)
      guard length > 0 else { return nil }
      var bytes = [UInt8](repeating: 0, count: Int(length))
      let written = bytes.withUnsafeMutableBufferPointer { buffer in
        var start = buffer.baseAddress
        return crypto.i2d_PKCS8_PRIV_KEY_INFO(form, &start)
      }
      return written == length ? bytes : nil
    }
    guard let bytes else { throw .fromQueue(.crypto, "the key could not be written") }
    return PrivateKeyBytes(bytes)
  }

  /// Reads a private key that was kept.
  package static func imported(_ bytes: PrivateKeyBytes, as kind: Kind) throws(Failure) -> SigningKey {
    let bytes = bytes.revealed
    guard bytes.count <= maximumByteCount, let key = read(bytes) else {
      throw .fromQueue(.invalidKey, "the kept key cannot be read")
    }
    let handle = KeyHandle(owning: key)
    // The public half comes out of the file too, and a wrong one would have the key sign for somebody else.
    guard handle.isPair else { throw .fromQueue(.invalidKey, "the kept key's halves do not belong together") }
    return try SigningKey(handle, kind)
  }

  private static func read(_ bytes: [UInt8]) -> OpaquePointer? {
    bytes.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      guard let form = crypto.d2i_PKCS8_PRIV_KEY_INFO(nil, &start, buffer.count) else { return nil }
      defer { crypto.PKCS8_PRIV_KEY_INFO_free(form) }
      guard start == buffer.baseAddress.map({ $0 + buffer.count }) else { return nil }
      return crypto.EVP_PKCS82PKEY(form)
    }
  }
}

extension KeyHandle {
  /// Whether the private half belongs to the public one.
  fileprivate var isPair: Bool {
    self.borrow { key in
      guard let context = crypto.EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return false }
      defer { crypto.EVP_PKEY_CTX_free(context) }
      return crypto.EVP_PKEY_pairwise_check(context) == 1
    }
  }
}
