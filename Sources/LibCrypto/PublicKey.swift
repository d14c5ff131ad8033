package import Core
import CLibCrypto

/// A key that signatures are verified with.
package struct PublicKey: Sendable {
  /// The key's numbers as a JSON Web Key holds them, big-endian (RFC 7518 §6, RFC 8037 §2).
  package enum Components: Sendable, Equatable {
    case rsa(modulus: [UInt8], exponent: [UInt8])
    case ellipticCurve(EllipticCurve, x: [UInt8], y: [UInt8])
    case ed25519(x: [UInt8])
  }

  package let components: Components
  let handle: KeyHandle

  /// RSA moduli accepted, in bits.
  ///
  /// Less is broken too easily (RFC 7518 §3.3, RFC 8725 §3.5); more only makes verifying slow, and libcrypto refuses it.
  static let modulusBits = 2048...16384
  /// The maximum length of an RSA exponent, in bytes.
  ///
  /// All real ones are 3 or 65537; a long one only makes verifying slow.
  static let maximumExponentByteCount = 4

  /// An RSA key.
  package static func rsa(modulus: [UInt8], exponent: [UInt8]) throws(Failure) -> PublicKey {
    let modulus = Array(modulus.drop { $0 == 0 })
    let exponent = Array(exponent.drop { $0 == 0 })
    let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
    guard modulusBits.contains(bits) else {
      throw Failure(crypto: .invalidKey, "the RSA modulus has \(bits) bits; 2048 to 16384 are accepted")
    }
    guard exponent.count <= maximumExponentByteCount, let lowest = exponent.last, lowest & 1 == 1, exponent != [1]
    else {
      throw Failure(crypto: .invalidKey, "the RSA exponent is not an odd number from 3 to 2³²−1")
    }
    guard let last = modulus.last, last & 1 == 1 else {
      throw Failure(crypto: .invalidKey, "the RSA modulus is even")
    }
    guard
      let key = libcrypto_rsa_public_key(library, modulus, Int32(modulus.count), exponent, Int32(exponent.count))
    else { throw .fromQueue(.invalidKey, "the RSA key was refused") }
    return PublicKey(.rsa(modulus: modulus, exponent: exponent), key)
  }

  /// A key on one of the NIST curves.
  package static func ellipticCurve(
    _ curve: EllipticCurve,
    x: [UInt8],
    y: [UInt8]
  ) throws(Failure) -> PublicKey {
    let size = curve.coordinateByteCount
    guard x.count == size, y.count == size else {
      throw Failure(
        crypto: .invalidKey,
        "the coordinates have \(x.count) and \(y.count) bytes; \(curve.rawValue) has \(size)"
      )
    }
    // SEC 1 §2.3.3: 04 announces an uncompressed point.
    let point = [0x04] + x + y
    guard let key = libcrypto_ec_public_key(library, curve.rawValue, point, point.count) else {
      throw .fromQueue(.invalidKey, "the point is not a key on \(curve.rawValue)")
    }
    let made = PublicKey(.ellipticCurve(curve, x: x, y: y), key)
    // A point off the curve would make verifying meaningless. Loading refuses one in this release of libcrypto; the
    // check does not rely on that.
    guard made.isValid else { throw .fromQueue(.invalidKey, "the point is not on \(curve.rawValue)") }
    return made
  }

  /// An Ed25519 key (RFC 8037 §2).
  package static func ed25519(x: [UInt8]) throws(Failure) -> PublicKey {
    guard x.count == 32 else {
      throw Failure(crypto: .invalidKey, "the Ed25519 key has \(x.count) bytes; it must have 32")
    }
    guard let key = crypto.EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, x, x.count) else {
      throw .fromQueue(.invalidKey, "the Ed25519 key was refused")
    }
    return PublicKey(.ed25519(x: x), key)
  }

  private init(_ components: Components, _ key: OpaquePointer) {
    self.components = components
    self.handle = KeyHandle(owning: key)
  }

  private var isValid: Bool {
    handle.borrow { key in
      guard let context = crypto.EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return false }
      defer { crypto.EVP_PKEY_CTX_free(context) }
      return crypto.EVP_PKEY_public_check(context) == 1
    }
  }
}
