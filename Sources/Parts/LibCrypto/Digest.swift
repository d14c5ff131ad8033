import CMSAuthCrypto

/// A hash function of the SHA-2 family (FIPS 180-4, RFC 6234).
package enum Digest: String, Sendable {
  case sha256 = "SHA256"
  case sha384 = "SHA384"
  case sha512 = "SHA512"

  /// Hashes bytes; if openssl.cnf offers no implementation (FIPS), uses libcrypto's built-in one.
  package func hash(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let input = Array(bytes)
    if let hash = hash(input, in: nil) { return hash }
    crypto.ERR_clear_error()
    if let hash = hash(input, in: Self.builtIn) { return hash }
    fatalError("libcrypto has no memory left to compute \(rawValue)")
  }

  private func hash(_ input: [UInt8], in library: OpaquePointer?) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count = 0
    guard crypto.EVP_Q_digest(library, rawValue, nil, input, input.count, &output, &count) == 1 else { return nil }
    return Array(output.prefix(count))
  }

  /// A library context that has read no configuration; it is never changed or freed.
  nonisolated(unsafe) private static let builtIn: OpaquePointer? = crypto.OSSL_LIB_CTX_new()
}
