package import Core
import CLibCrypto

/// A private key that signs: a provider's, or that of a client which proves possession of it (RFC 9449).
package struct SigningKey: Sendable {
  /// The keys that can be generated.
  package enum Kind: String, Sendable, CaseIterable {
    case rsa2048 = "RSA"
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"
    case ed25519 = "Ed25519"
  }

  /// The half that may be published; its ``PublicKey/components`` are those of the JSON Web Key.
  package let publicKey: PublicKey
  let handle: KeyHandle

  /// Makes a new key.
  package static func generate(_ kind: Kind) throws(Failure) -> SigningKey {
    let key =
      switch kind {
      case .rsa2048: libcrypto_generate_rsa(library, 2048)
      case .p256, .p384, .p521: libcrypto_generate_ec(library, kind.rawValue)
      case .ed25519: libcrypto_generate_ed25519(library)
      }
    guard let key else { throw .fromQueue(.crypto, "no \(kind.rawValue) key could be generated") }
    return try SigningKey(KeyHandle(owning: key), kind)
  }

  init(_ handle: KeyHandle, _ kind: Kind) throws(Failure) {
    self.handle = handle
    publicKey =
      switch kind {
      case .rsa2048:
        try .rsa(
          modulus: handle.number(OSSL_PKEY_PARAM_RSA_N) ?? [],
          exponent: handle.number(OSSL_PKEY_PARAM_RSA_E) ?? []
        )
      case .p256: try Self.publicPoint(of: handle, .p256)
      case .p384: try Self.publicPoint(of: handle, .p384)
      case .p521: try Self.publicPoint(of: handle, .p521)
      case .ed25519: try .ed25519(x: Self.rawPublicKey(of: handle))
      }
  }

  private static func publicPoint(of handle: KeyHandle, _ curve: EllipticCurve) throws(Failure) -> PublicKey {
    let size = curve.coordinateByteCount
    return try .ellipticCurve(
      curve,
      x: handle.number(OSSL_PKEY_PARAM_EC_PUB_X, byteCount: size) ?? [],
      y: handle.number(OSSL_PKEY_PARAM_EC_PUB_Y, byteCount: size) ?? []
    )
  }

  private static func rawPublicKey(of handle: KeyHandle) -> [UInt8] {
    handle.borrow { key in
      var bytes = [UInt8](repeating: 0, count: 32)
      var count = bytes.count
      return crypto.EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1 ? Array(bytes.prefix(count)) : []
    }
  }

  /// Signs a message; ``PublicKey/verify(signature:of:with:)`` accepts the result.
  package func sign(
    _ message: some Collection<UInt8>,
    with algorithm: SignatureAlgorithm
  ) throws(Failure) -> [UInt8] {
    guard publicKey.suits(algorithm) else {
      throw Failure(crypto: .unsuitableAlgorithm, "the key cannot sign with \(algorithm.rawValue)")
    }
    guard let native = sign(Array(message), algorithm) else {
      throw .fromQueue(.crypto, "signing with \(algorithm.rawValue) failed")
    }
    guard case .ecdsa(let curve) = algorithm.scheme else { return native }
    guard let signature = ECDSASignature(der: native, curve) else {
      throw .fromQueue(.crypto, "signing with \(algorithm.rawValue) gave an unreadable signature")
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
