import Foundation
import MSAuthCore
@testable import MSAuthCrypto
import Testing

@Suite("stored keys")
struct StoredKeyTests {
  static let message = Array("a message".utf8)

  private static func bytes(of key: SigningKey) throws -> [UInt8] {
    [UInt8](try #require(Data(base64Encoded: key.exported().revealed)))
  }

  private static func imported(_ bytes: some Sequence<UInt8>) throws -> SigningKey {
    try .imported(Secret(Data(bytes).base64EncodedString()), for: .es256)
  }

  @Test("a stored key signs for the same public key", arguments: SampleKeys.kinds)
  func roundTrip(_ kind: SignatureAlgorithm) throws {
    let key = try SampleKeys.key(kind)
    let again = try SigningKey.imported(key.exported(), for: kind)
    #expect(again.publicKey.components == key.publicKey.components)
    #expect(try again.exported() == key.exported())
    let signature = try again.sign(Self.message, with: kind)
    #expect(key.publicKey.verify(signature: signature, of: Self.message, with: kind))
  }

  @Test("openssl can read a stored key and sign with it")
  func readByOpenSSL() async throws {
    let key = try SigningKey.generate(for: .es256)
    let openssl = try OpenSSLFixture()
    try openssl.write(Self.bytes(of: key), to: "key.der")
    try openssl.write(Self.message, to: "message")
    try await openssl.run("pkey", "-inform", "DER", "-in", "key.der", "-check", "-noout")
    try await openssl.run("pkey", "-inform", "DER", "-in", "key.der", "-pubout", "-outform", "DER", "-out", "public")
    guard case .ellipticCurve(.p256, let x, let y) = key.publicKey.components else {
      return try #require(Bool(false), "not a key on P-256")
    }
    #expect(try openssl.read("public").suffix(64) == (x + y)[...])
    // In reverse, openssl verifies our signature.
    let raw = try key.sign(Self.message, with: .es256)
    try openssl.write(der(raw), to: "signature")
    try await openssl.run([
      "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", "public", "-rawin", "-digest", "sha256",
      "-in", "message", "-sigfile", "signature",
    ])
  }

  @Test("a key created by openssl is accepted")
  func madeByOpenSSL() async throws {
    let openssl = try OpenSSLFixture()
    try await openssl.run("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "key")
    try await openssl.run("pkcs8", "-topk8", "-nocrypt", "-in", "key", "-outform", "DER", "-out", "key.der")
    let key = try Self.imported(try openssl.read("key.der"))
    let signature = try key.sign(Self.message, with: .es256)
    #expect(key.publicKey.verify(signature: signature, of: Self.message, with: .es256))
  }

  @Test("a key on another curve, or of another kind, is rejected", arguments: SampleKeys.kinds)
  func otherKind(_ kind: SignatureAlgorithm) throws {
    guard kind != .es256 else { return }
    let bytes = try SampleKeys.key(kind).exported()
    let error = #expect(throws: AuthenticationError.self) { try SigningKey.imported(bytes, for: .es256) }
    #expect(error?.reason == .invalidKey)
  }

  @Test("a truncated, extended or mismatched key is rejected")
  func damaged() throws {
    let bytes = try Self.bytes(of: .generate(for: .es256))
    for damaged in bytes.indices.map({ Array(bytes.prefix($0)) }) + [bytes + [0]] {
      let error = #expect(throws: AuthenticationError.self) { try Self.imported(damaged) }
      #expect(error?.reason == .invalidKey)
    }
    // The public key is at the end.
    let other = try Self.bytes(of: .generate(for: .es256))
    let error = try #require(throws: AuthenticationError.self) {
      try Self.imported(bytes.dropLast(64) + other.suffix(64))
    }
    #expect(error.reason == .invalidKey && error.message.contains("halves don't match"))
  }

  /// Converts a JOSE signature for openssl.
  private func der(_ raw: [UInt8]) -> [UInt8] {
    let numbers = [raw.prefix(32), raw.suffix(32)].map { number in
      var digits = Array(number.drop { $0 == 0 })
      if digits.first.map({ $0 > 0x7F }) ?? true { digits.insert(0, at: 0) }
      return [0x02, UInt8(digits.count)] + digits
    }
    let body = numbers.flatMap(\.self)
    return [0x30, UInt8(body.count)] + body
  }
}
