import Core
import CLibCrypto

/// An `EVP_PKEY` that is freed once, when nobody uses it any more.
///
/// It may cross threads: nothing changes the key after it is made, and libcrypto locks its own caches.
final class KeyHandle: @unchecked Sendable {
  private let key: OpaquePointer

  /// Takes over a key that the caller owns.
  init(owning key: OpaquePointer) {
    self.key = key
  }

  deinit { crypto.EVP_PKEY_free(key) }

  /// Lends the key; it is alive until the closure returns.
  func borrow<Result, Failure>(_ body: (OpaquePointer) throws(Failure) -> Result) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    return try body(key)
  }

  /// A number of the key.
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
}
