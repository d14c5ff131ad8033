import Foundation
import LibCrypto
import Testing

/// Signatures of the `openssl` command, which shares no code of ours: it proves padding, salt length and number order.
@Suite("Signatures of the openssl command")
struct OpenSSLToolTests {
  @Test("a signature that openssl made verifies", arguments: SignatureAlgorithm.allCases)
  func verifies(algorithm: SignatureAlgorithm) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "msauth-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let message = Array("signed elsewhere".utf8)
    try Data(message).write(to: folder.appending(path: "message"))

    let kind: [String] =
      switch SampleKeys.kind(for: algorithm) {
      case .rsa2048: ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
      case .p256: ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
      case .p384: ["EC", "-pkeyopt", "ec_paramgen_curve:P-384"]
      case .p521: ["EC", "-pkeyopt", "ec_paramgen_curve:P-521"]
      case .ed25519: ["ED25519"]
      }
    try openssl(["genpkey", "-out", "key", "-algorithm"] + kind, in: folder)
    try openssl(["pkey", "-in", "key", "-pubout", "-outform", "DER", "-out", "public"], in: folder)
    let digest = algorithm.digest.rawValue.lowercased()
    let pss = ["-pkeyopt", "rsa_padding_mode:pss", "-pkeyopt", "rsa_pss_saltlen:digest"]
    let options: [String] =
      switch algorithm {
      case .edDSA: ["-rawin"]
      case .ps256, .ps384, .ps512: ["-rawin", "-digest", digest] + pss
      default: ["-rawin", "-digest", digest]
      }
    try openssl(["pkeyutl", "-sign", "-inkey", "key", "-in", "message", "-out", "signature"] + options, in: folder)

    let key = try publicKey(algorithm, der: [UInt8](Data(contentsOf: folder.appending(path: "public"))))
    var signature = [UInt8](try Data(contentsOf: folder.appending(path: "signature")))
    if case .ellipticCurve(let curve, _, _) = key.components {
      signature = try raw(der: signature, size: curve.coordinateByteCount)
    }
    #expect(key.verify(signature: signature, of: message, with: algorithm))
    #expect(!key.verify(signature: signature, of: message + [0], with: algorithm))
  }

  /// The numbers stand at the end of a SubjectPublicKeyInfo.
  private func publicKey(_ algorithm: SignatureAlgorithm, der: [UInt8]) throws -> PublicKey {
    switch SampleKeys.kind(for: algorithm) {
    case .rsa2048: try .rsa(modulus: Array(der.dropLast(5).suffix(256)), exponent: Array(der.suffix(3)))
    case .p256: try .ellipticCurve(.p256, x: Array(der.suffix(64).prefix(32)), y: Array(der.suffix(32)))
    case .p384: try .ellipticCurve(.p384, x: Array(der.suffix(96).prefix(48)), y: Array(der.suffix(48)))
    case .p521: try .ellipticCurve(.p521, x: Array(der.suffix(132).prefix(66)), y: Array(der.suffix(66)))
    case .ed25519: try .ed25519(x: Array(der.suffix(32)))
    }
  }

  /// Both integers of a DER sequence, filled up with zeros, one after the other.
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

  private func openssl(_ arguments: [String], in folder: URL) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardError = Pipe()
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "openssl \(arguments.joined(separator: " "))")
  }
}
