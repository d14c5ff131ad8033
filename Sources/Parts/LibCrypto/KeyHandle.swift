import CMSAuthCrypto

/// An `EVP_PKEY`; any thread may use it, since nothing changes the key and libcrypto locks its own caches.
final class KeyHandle: @unchecked Sendable {
  private let key: OpaquePointer

  init(owning key: OpaquePointer) { self.key = key }

  deinit { crypto.EVP_PKEY_free(key) }

  /// Lends the key, which stays alive until the closure returns.
  func borrow<Result>(_ body: (OpaquePointer) -> Result) -> Result {
    defer { withExtendedLifetime(self) {} }
    return body(key)
  }

  /// One of the key's numbers, big-endian, padded to `byteCount`.
  func number(_ name: String, byteCount: Int? = nil) -> [UInt8]? {
    borrow { key in
      var number: OpaquePointer?
      guard crypto.EVP_PKEY_get_bn_param(key, name, &number) == 1 else { return nil }
      defer { crypto.BN_free(number) }
      let size = byteCount ?? Int(crypto.BN_num_bits(number) + 7) / 8
      var bytes = [UInt8](repeating: 0, count: size)
      return crypto.BN_bn2binpad(number, &bytes, Int32(size)) == Int32(size) ? bytes : nil
    }
  }

  /// The public half of an Ed25519 key.
  func rawPublicKey() -> [UInt8] {
    borrow { key in
      var bytes = [UInt8](repeating: 0, count: 32)
      var count = bytes.count
      return crypto.EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1 ? Array(bytes.prefix(count)) : []
    }
  }

  /// Whether one of libcrypto's checks finds the key valid.
  func passes(_ check: (OpaquePointer) -> Int32) -> Bool {
    borrow { key in
      guard let context = crypto.EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return false }
      defer { crypto.EVP_PKEY_CTX_free(context) }
      return check(context) == 1
    }
  }
}

/// The bytes that one of libcrypto's `i2d` functions writes.
func derEncoded(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8]? {
  let length = encode(nil)
  guard length > 0 else { return nil }
  var bytes = [UInt8](repeating: 0, count: Int(length))
  let written = bytes.withUnsafeMutableBufferPointer { buffer in
    var start = buffer.baseAddress
    return encode(&start)
  }
  return written == length ? bytes : nil
}
