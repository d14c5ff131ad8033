import MSAuthCore
import MSAuthCrypto
import MSAuthJOSE
import Testing

@Suite("the names of keys (RFC 7638)")
struct ThumbprintTests {
  static func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }

  @Test("the key of RFC 9449's examples has the thumbprint of its section 6.1")
  func published() throws {
    let key = try PublicKey.ellipticCurve(
      .p256,
      x: Self.bytes("l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs"),
      y: Self.bytes("9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA")
    )
    #expect(key.thumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
  }

  @Test("so has the Ed25519 key of RFC 8037, appendix A.3")
  func publishedEdwards() throws {
    let key = try PublicKey.ed25519(x: Self.bytes("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
    #expect(key.thumbprint == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
  }

  @Test(
    "a key in JSON reads as the same key, and has nothing of the private half",
    arguments: [SignatureAlgorithm.rs256, .es256, .es384, .es512, .edDSA]
  )
  func webKey(_ algorithm: SignatureAlgorithm) throws {
    let key = try SigningKey.generate(for: algorithm).publicKey
    #expect(JSONWebKey(.object(key.webKey))?.publicKey.components == key.components)
    let members = Set(key.webKey.keys)
    #expect(members.isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]))
  }
}
