import CMSAuthCrypto

/// A digital signature algorithm of JOSE (RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864 §2.2), never `none` or an HMAC.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
  case rs256 = "RS256"
  case rs384 = "RS384"
  case rs512 = "RS512"
  case ps256 = "PS256"
  case ps384 = "PS384"
  case ps512 = "PS512"
  case es256 = "ES256"
  case es384 = "ES384"
  case es512 = "ES512"
  /// Only Ed25519; Ed448 isn't supported.
  case edDSA = "EdDSA"

  /// Finds an algorithm by its `alg` name; a provider may use both `EdDSA` and RFC 9864's name for it, `Ed25519`.
  package init?(name: String) { self.init(rawValue: name == "Ed25519" ? Self.edDSA.rawValue : name) }

  /// The algorithm's hash; for EdDSA SHA-512, which providers use for its `at_hash`.
  package var digest: Digest {
    switch self {
    case .rs256, .ps256, .es256: .sha256
    case .rs384, .ps384, .es384: .sha384
    case .rs512, .ps512, .es512, .edDSA: .sha512
    }
  }

  enum Scheme {
    case pkcs1, pss
    case ecdsa(EllipticCurve)
    case ed25519
  }

  var scheme: Scheme {
    switch self {
    case .rs256, .rs384, .rs512: .pkcs1
    case .ps256, .ps384, .ps512: .pss
    case .es256: .ecdsa(.p256)
    case .es384: .ecdsa(.p384)
    case .es512: .ecdsa(.p521)
    case .edDSA: .ed25519
    }
  }
}

/// An ECDSA signature in JOSE's form (RFC 7518 §3.4) and in libcrypto's (ASN.1 DER).
struct ECDSASignature {
  let r: [UInt8]
  let s: [UInt8]

  init?(raw: [UInt8], _ curve: EllipticCurve) {
    let size = curve.coordinateByteCount
    guard raw.count == 2 * size else { return nil }
    r = Array(raw.prefix(size))
    s = Array(raw.suffix(size))
  }

  init?(der: [UInt8], _ curve: EllipticCurve) {
    let size = curve.coordinateByteCount
    let parsed = der.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      return crypto.d2i_ECDSA_SIG(nil, &start, buffer.count)
    }
    guard let parsed else { return nil }
    defer { crypto.ECDSA_SIG_free(parsed) }
    var r = [UInt8](repeating: 0, count: size)
    var s = r
    guard crypto.BN_bn2binpad(crypto.ECDSA_SIG_get0_r(parsed), &r, Int32(size)) == Int32(size),
      crypto.BN_bn2binpad(crypto.ECDSA_SIG_get0_s(parsed), &s, Int32(size)) == Int32(size)
    else { return nil }
    self.r = r
    self.s = s
  }

  var raw: [UInt8] { r + s }

  var der: [UInt8]? {
    guard let signature = crypto.ECDSA_SIG_new() else { return nil }
    defer { crypto.ECDSA_SIG_free(signature) }
    let numbers = (crypto.BN_bin2bn(r, Int32(r.count), nil), crypto.BN_bin2bn(s, Int32(s.count), nil))
    // On success the signature owns the numbers.
    guard crypto.ECDSA_SIG_set0(signature, numbers.0, numbers.1) == 1 else {
      crypto.BN_free(numbers.0)
      crypto.BN_free(numbers.1)
      return nil
    }
    return derEncoded { crypto.i2d_ECDSA_SIG(signature, $0) }
  }
}
