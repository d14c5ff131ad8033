import CMSAuthCrypto
import FoundationEssentials
package import MSAuthCore

/// A private key for signatures: a provider's, or a client's for DPoP (RFC 9449).
package struct SigningKey: Sendable {
  /// The maximum length of a stored key, in bytes of DER; an RSA key of 16384 bits has about 9 KB.
  private static let maximumByteCount = 16 * 1024

  package let publicKey: PublicKey
  private let handle: KeyHandle

  /// Generates a key for an algorithm, and for others with keys of the same type.
  package static func generate(for algorithm: SignatureAlgorithm) throws(AuthenticationError) -> SigningKey {
    let key =
      switch algorithm.scheme {
      case .pkcs1, .pss: libcrypto_generate(library, "RSA", nil)
      case .ecdsa(let curve): libcrypto_generate(library, "EC", curve.rawValue)
      case .ed25519: libcrypto_generate(library, "ED25519", nil)
      }
    guard let key else { throw .libcryptoFailure(.crypto, "can't generate a key for \(algorithm.rawValue)") }
    return try SigningKey(KeyHandle(owning: key), algorithm)
  }

  /// Reads what ``exported()`` returned.
  package static func imported(_ key: Secret, for algorithm: SignatureAlgorithm) throws(AuthenticationError)
    -> SigningKey
  {
    let bytes = Data(base64Encoded: key.revealed).map { [UInt8]($0) } ?? []
    guard bytes.count <= maximumByteCount, let key = read(bytes) else {
      throw .libcryptoFailure(.invalidKey, "the stored key can't be read")
    }
    let handle = KeyHandle(owning: key)
    // The public half is stored too; a damaged or replaced one must not be published as this key's.
    guard handle.passes(crypto.EVP_PKEY_pairwise_check) else {
      throw .libcryptoFailure(.invalidKey, "the stored key's two halves don't match")
    }
    return try SigningKey(handle, algorithm)
  }

  private init(_ handle: KeyHandle, _ algorithm: SignatureAlgorithm) throws(AuthenticationError) {
    self.handle = handle
    func number(_ name: String, _ byteCount: Int? = nil) -> [UInt8] { handle.number(name, byteCount: byteCount) ?? [] }
    publicKey =
      switch algorithm.scheme {
      case .pkcs1, .pss: try .rsa(modulus: number(OSSL_PKEY_PARAM_RSA_N), exponent: number(OSSL_PKEY_PARAM_RSA_E))
      case .ecdsa(let curve):
        try .ellipticCurve(
          curve,
          x: number(OSSL_PKEY_PARAM_EC_PUB_X, curve.coordinateByteCount),
          y: number(OSSL_PKEY_PARAM_EC_PUB_Y, curve.coordinateByteCount)
        )
      case .ed25519: try .ed25519(x: handle.rawPublicKey())
      }
  }

  /// The private key as PKCS #8 (RFC 5958) in base64, as in a PEM file.
  package func exported() throws(AuthenticationError) -> Secret {
    let bytes: [UInt8]? = handle.borrow { key in
      guard let form = crypto.EVP_PKEY2PKCS8(key) else { return nil }
      defer { crypto.PKCS8_PRIV_KEY_INFO_free(form) }
      return derEncoded { crypto.i2d_PKCS8_PRIV_KEY_INFO(form, $0) }
    }
    guard let bytes else { throw .libcryptoFailure(.crypto, "the key couldn't be exported") }
    return Secret(Data(bytes).base64EncodedString())
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

  /// Signs a message; ``PublicKey/verify(signature:of:with:)`` accepts the result.
  package func sign(
    _ message: some Collection<UInt8>,
    with algorithm: SignatureAlgorithm
  ) throws(AuthenticationError) -> [UInt8] {
    guard publicKey.suits(algorithm) else {
      throw AuthenticationError(crypto: .unsuitableAlgorithm, "this key can't sign with \(algorithm.rawValue)")
    }
    guard let native = sign(Array(message), algorithm) else {
      throw .libcryptoFailure(.crypto, "signing with \(algorithm.rawValue) failed")
    }
    guard case .ecdsa(let curve) = algorithm.scheme else { return native }
    guard let signature = ECDSASignature(der: native, curve) else {
      throw .libcryptoFailure(.crypto, "signing with \(algorithm.rawValue) produced an unreadable signature")
    }
    return signature.raw
  }

  private func sign(_ message: [UInt8], _ algorithm: SignatureAlgorithm) -> [UInt8]? {
    handle.borrow { key in
      guard let context = crypto.EVP_MD_CTX_new() else { return nil }
      defer { crypto.EVP_MD_CTX_free(context) }
      var options: OpaquePointer?
      var count = 0
      guard
        crypto.EVP_DigestSignInit_ex(context, &options, algorithm.messageDigestName, nil, nil, key, nil) == 1,
        algorithm.setPadding(options),
        crypto.EVP_DigestSign(context, nil, &count, message, message.count) == 1
      else { return nil }
      var signature = [UInt8](repeating: 0, count: count)
      guard crypto.EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else { return nil }
      return Array(signature.prefix(count))
    }
  }
}
