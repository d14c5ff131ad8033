import CMSAuthCrypto
package import MSAuthCore

/// A NIST curve, by its JOSE name (`crv`, RFC 7518 §6.2.1.1).
package enum EllipticCurve: String, Sendable, CaseIterable {
  case p256 = "P-256"
  case p384 = "P-384"
  case p521 = "P-521"

  /// The length of a coordinate, and of each half of a signature, in bytes.
  var coordinateByteCount: Int {
    switch self {
    case .p256: 32
    case .p384: 48
    case .p521: 66
    }
  }
}

package struct PublicKey: Sendable {
  /// The key's numbers, big-endian as in a JSON Web Key (RFC 7518 §6, RFC 8037 §2).
  package enum Components: Sendable, Equatable {
    case rsa(modulus: [UInt8], exponent: [UInt8])
    case ellipticCurve(EllipticCurve, x: [UInt8], y: [UInt8])
    case ed25519(x: [UInt8])
  }

  package let components: Components
  let handle: KeyHandle

  /// Accepted RSA moduli, in bits: shorter ones are weak (RFC 7518 §3.3, RFC 8725 §3.5), longer ones only slow.
  static let modulusBits = 2048...16384
  /// The maximum length of an RSA exponent, in bytes: real ones are 3 or 65537, a long one only slows verification.
  static let maximumExponentByteCount = 4

  package static func rsa(modulus: [UInt8], exponent: [UInt8]) throws(AuthenticationError) -> PublicKey {
    let modulus = Array(modulus.drop { $0 == 0 })
    let exponent = Array(exponent.drop { $0 == 0 })
    let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
    guard modulusBits.contains(bits) else {
      throw AuthenticationError(crypto: .invalidKey, "the RSA modulus has \(bits) bits; 2048 to 16384 are accepted")
    }
    guard exponent.count <= maximumExponentByteCount, let lowest = exponent.last, lowest & 1 == 1, exponent != [1]
    else {
      throw AuthenticationError(crypto: .invalidKey, "the RSA exponent isn't an odd number from 3 to 2³²−1")
    }
    guard let last = modulus.last, last & 1 == 1 else {
      throw AuthenticationError(crypto: .invalidKey, "the RSA modulus is even")
    }
    guard
      let key = libcrypto_rsa_public_key(library, modulus, Int32(modulus.count), exponent, Int32(exponent.count))
    else { throw .libcryptoFailure(.invalidKey, "libcrypto rejected the RSA key") }
    return PublicKey(.rsa(modulus: modulus, exponent: exponent), key)
  }

  package static func ellipticCurve(
    _ curve: EllipticCurve,
    x: [UInt8],
    y: [UInt8]
  ) throws(AuthenticationError) -> PublicKey {
    let size = curve.coordinateByteCount
    guard x.count == size, y.count == size else {
      throw AuthenticationError(crypto: .invalidKey, "a coordinate on \(curve.rawValue) doesn't have \(size) bytes")
    }
    // SEC 1 §2.3.3: 04 marks an uncompressed point.
    let point = [0x04] + x + y
    guard let key = libcrypto_ec_public_key(library, curve.rawValue, point, point.count) else {
      throw .libcryptoFailure(.invalidKey, "the point isn't a key on \(curve.rawValue)")
    }
    let publicKey = PublicKey(.ellipticCurve(curve, x: x, y: y), key)
    // Verifying with a point off the curve proves nothing, and not every release of libcrypto rejects such a point.
    guard publicKey.handle.passes(crypto.EVP_PKEY_public_check) else {
      throw .libcryptoFailure(.invalidKey, "the point isn't on \(curve.rawValue)")
    }
    return publicKey
  }

  /// An Ed25519 key (RFC 8037 §2).
  package static func ed25519(x: [UInt8]) throws(AuthenticationError) -> PublicKey {
    guard x.count == 32 else {
      throw AuthenticationError(crypto: .invalidKey, "the Ed25519 key has \(x.count) bytes; it must have 32")
    }
    guard let key = crypto.EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, x, x.count) else {
      throw .libcryptoFailure(.invalidKey, "libcrypto rejected the Ed25519 key")
    }
    return PublicKey(.ed25519(x: x), key)
  }

  private init(_ components: Components, _ key: OpaquePointer) {
    self.components = components
    self.handle = KeyHandle(owning: key)
  }
}

extension PublicKey {
  /// Whether the key verifies signatures of that algorithm; an ECDSA algorithm implies its curve (RFC 7518 §3.4).
  package func suits(_ algorithm: SignatureAlgorithm) -> Bool {
    switch (components, algorithm.scheme) {
    case (.rsa, .pkcs1), (.rsa, .pss), (.ed25519, .ed25519): true
    case (.ellipticCurve(let curve, _, _), .ecdsa(let needed)): curve == needed
    default: false
    }
  }

  /// Verifies a signature in JOSE's form.
  package func verify(
    signature: some Collection<UInt8>,
    of message: some Collection<UInt8>,
    with algorithm: SignatureAlgorithm
  ) -> Bool {
    guard suits(algorithm), let signature = native(Array(signature), algorithm) else { return false }
    let message = Array(message)
    // A bad signature leaves its reasons in libcrypto's queue.
    defer { crypto.ERR_clear_error() }
    return handle.borrow { key in
      guard let context = crypto.EVP_MD_CTX_new() else { return false }
      defer { crypto.EVP_MD_CTX_free(context) }
      var options: OpaquePointer?
      guard
        crypto.EVP_DigestVerifyInit_ex(context, &options, algorithm.messageDigestName, nil, nil, key, nil) == 1,
        algorithm.setPadding(options)
      else { return false }
      return crypto.EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
  }

  /// The signature in libcrypto's form; `nil` if its length is wrong, since a shorter one would be valid too.
  private func native(_ signature: [UInt8], _ algorithm: SignatureAlgorithm) -> [UInt8]? {
    switch components {
    case .rsa(let modulus, _): signature.count == modulus.count ? signature : nil
    case .ed25519: signature.count == 64 ? signature : nil
    case .ellipticCurve(let curve, _, _): ECDSASignature(raw: signature, curve)?.der
    }
  }
}

extension SignatureAlgorithm {
  /// The digest that libcrypto applies first; `nil` for Ed25519, which includes its own.
  var messageDigestName: String? {
    if case .ed25519 = scheme { nil } else { digest.rawValue }
  }

  func setPadding(_ options: OpaquePointer?) -> Bool {
    switch scheme {
    case .pkcs1:
      crypto.EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PADDING) == 1
    case .pss:
      // RFC 7518 §3.5: the salt is as long as the hash; libcrypto uses the same hash for the mask by default.
      crypto.EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1
        && crypto.EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1
    case .ecdsa, .ed25519:
      true
    }
  }
}
