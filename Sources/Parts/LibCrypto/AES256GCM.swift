import CMSAuthCrypto
package import MSAuthCore

/// Authenticated encryption with AES-256 in Galois/Counter Mode (NIST SP 800-38D).
package enum AES256GCM {
  /// The length of a key, in bytes.
  static let keySize = 32
  private static let nonceSize = 12
  private static let tagSize = 16

  /// Encrypts and authenticates the plaintext, and authenticates a header that isn't part of the result.
  package static func seal(_ plaintext: [UInt8], key: [UInt8], header: [UInt8]) throws(AuthenticationError) -> [UInt8] {
    let nonce = randomBytes(nonceSize)
    let context = try Context(key: key, nonce: nonce, encrypts: true)
    var tag = [UInt8](repeating: 0, count: tagSize)
    guard let ciphertext = context.process(plaintext, header: header), context.finish(),
      crypto.EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_GET_TAG, Int32(tagSize), &tag) == 1
    else { throw .libcryptoFailure(.crypto, "the content can't be encrypted") }
    return nonce + ciphertext + tag
  }

  /// Decrypts what ``seal(_:key:header:)`` returned; `nil` if it was changed, or if the key or the header differs.
  package static func open(_ sealed: [UInt8], key: [UInt8], header: [UInt8]) throws(AuthenticationError) -> [UInt8]? {
    guard sealed.count >= nonceSize + tagSize else { return nil }
    let context = try Context(key: key, nonce: Array(sealed.prefix(nonceSize)), encrypts: false)
    var tag = Array(sealed.suffix(tagSize))
    // A failure leaves its reason in libcrypto's queue.
    defer { crypto.ERR_clear_error() }
    guard let plaintext = context.process(Array(sealed.dropFirst(nonceSize).dropLast(tagSize)), header: header),
      crypto.EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_SET_TAG, Int32(tagSize), &tag) == 1, context.finish()
    else { return nil }
    return plaintext
  }

  /// An `EVP_CIPHER_CTX` for one message.
  private final class Context {
    let pointer: OpaquePointer

    init(key: [UInt8], nonce: [UInt8], encrypts: Bool) throws(AuthenticationError) {
      guard key.count == AES256GCM.keySize else {
        throw AuthenticationError(crypto: .invalidKey, "the key has the wrong length")
      }
      guard let pointer = crypto.EVP_CIPHER_CTX_new() else { throw .libcryptoFailure(.crypto, "out of memory") }
      self.pointer = pointer
      let cipher = crypto.EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
      defer { crypto.EVP_CIPHER_free(cipher) }
      guard cipher != nil, crypto.EVP_CipherInit_ex2(pointer, cipher, key, nonce, encrypts ? 1 : 0, nil) == 1 else {
        throw .libcryptoFailure(.crypto, "libcrypto doesn't offer AES-256-GCM")
      }
    }

    deinit { crypto.EVP_CIPHER_CTX_free(pointer) }

    func process(_ input: [UInt8], header: [UInt8]) -> [UInt8]? {
      var output = [UInt8](repeating: 0, count: input.count)
      var count: Int32 = 0
      guard let inputSize = Int32(exactly: input.count), let headerSize = Int32(exactly: header.count),
        crypto.EVP_CipherUpdate(pointer, nil, &count, header, headerSize) == 1,
        crypto.EVP_CipherUpdate(pointer, &output, &count, input, inputSize) == 1
      else { return nil }
      return output
    }

    /// Computes the tag when encrypting; compares it when decrypting.
    func finish() -> Bool {
      var nothing: [UInt8] = [0]
      var count: Int32 = 0
      return crypto.EVP_CipherFinal_ex(pointer, &nothing, &count) == 1
    }
  }
}
