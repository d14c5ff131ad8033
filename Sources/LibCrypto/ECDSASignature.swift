import CMSAuthCrypto

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
