import CLibCrypto

/// A hash function of the SHA-2 family (FIPS 180-4, RFC 6234).
package enum Digest: String, Sendable, CaseIterable {
  case sha256 = "SHA256"
  case sha384 = "SHA384"
  case sha512 = "SHA512"

  /// The length of a hash, in bytes.
  package var byteCount: Int {
    switch self {
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// Hashes bytes.
  package func hash(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let input = Array(bytes)
    // The machine's openssl.cnf chooses who computes (a FIPS provider, say). It may also leave nobody, and then the
    // implementation inside libcrypto does it: so hashing cannot fail, and callers need no error path for it.
    if let hash = hash(input, in: nil) { return hash }
    crypto.ERR_clear_error()
    if let hash = hash(input, in: Self.builtIn) { return hash }
    fatalError("libcrypto has no memory left to compute \(rawValue)")
  }

  private func hash(_ input: [UInt8], in library: OpaquePointer?) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: byteCount)
    var written = 0
    guard crypto.EVP_Q_digest(library, rawValue, nil, input, input.count, &output, &written) == 1 else { return nil }
    return output
  }

  /// A library context that read no configuration; it lives as long as the process and is never changed.
  nonisolated(unsafe) private static let builtIn: OpaquePointer? = crypto.OSSL_LIB_CTX_new()
}
