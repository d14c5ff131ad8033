@testable import MSAuthCrypto
import Testing

/// An independent implementation, which proves padding, salt length and number order.
@Suite("signatures of the openssl command")
struct OpenSSLToolTests {
  @Test("openssl's signature verifies", arguments: SignatureAlgorithm.allCases)
  func verifies(algorithm: SignatureAlgorithm) async throws {
    let openssl = try OpenSSLFixture()
    let message = Array("signed elsewhere".utf8)
    try openssl.write(message, to: "message")

    let kind: [String] =
      switch SampleKeys.kind(for: algorithm) {
      case .rs256: ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
      case .es256: ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
      case .es384: ["EC", "-pkeyopt", "ec_paramgen_curve:P-384"]
      case .es512: ["EC", "-pkeyopt", "ec_paramgen_curve:P-521"]
      default: ["ED25519"]
      }
    try await openssl.run(["genpkey", "-out", "key", "-algorithm"] + kind)
    try await openssl.run(["pkey", "-in", "key", "-pubout", "-outform", "DER", "-out", "public"])
    let digest = algorithm.digest.rawValue.lowercased()
    let pss = ["-pkeyopt", "rsa_padding_mode:pss", "-pkeyopt", "rsa_pss_saltlen:digest"]
    let options: [String] =
      switch algorithm {
      case .edDSA: ["-rawin"]
      case .ps256, .ps384, .ps512: ["-rawin", "-digest", digest] + pss
      default: ["-rawin", "-digest", digest]
      }
    try await openssl.run(["pkeyutl", "-sign", "-inkey", "key", "-in", "message", "-out", "signature"] + options)

    let key = try publicKey(algorithm, der: openssl.read("public"))
    var signature = try openssl.read("signature")
    if case .ellipticCurve(let curve, _, _) = key.components {
      signature = try raw(der: signature, size: curve.coordinateByteCount)
    }
    #expect(key.verify(signature: signature, of: message, with: algorithm))
    #expect(!key.verify(signature: signature, of: message + [0], with: algorithm))
  }

  /// The numbers are at the end of a SubjectPublicKeyInfo.
  private func publicKey(_ algorithm: SignatureAlgorithm, der: [UInt8]) throws -> PublicKey {
    switch SampleKeys.kind(for: algorithm) {
    case .rs256: try .rsa(modulus: Array(der.dropLast(5).suffix(256)), exponent: Array(der.suffix(3)))
    case .es256: try .ellipticCurve(.p256, x: Array(der.suffix(64).prefix(32)), y: Array(der.suffix(32)))
    case .es384: try .ellipticCurve(.p384, x: Array(der.suffix(96).prefix(48)), y: Array(der.suffix(48)))
    case .es512: try .ellipticCurve(.p521, x: Array(der.suffix(132).prefix(66)), y: Array(der.suffix(66)))
    default: try .ed25519(x: Array(der.suffix(32)))
    }
  }

  /// Both integers of a DER sequence, padded with zeros.
  private func raw(der: [UInt8], size: Int) throws -> [UInt8] {
    var rest = der.dropFirst(der[1] == 0x81 ? 3 : 2)
    var numbers: [UInt8] = []
    for _ in 0..<2 {
      try #require(rest.first == 0x02)
      let length = Int(try #require(rest.dropFirst().first))
      let number = rest.dropFirst(2).prefix(length).drop { $0 == 0 }
      numbers += [UInt8](repeating: 0, count: size - number.count) + number
      rest = rest.dropFirst(2 + length)
    }
    return numbers
  }
}
