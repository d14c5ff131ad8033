import MSAuthCore
import MSAuthCrypto
@testable import MSAuthJOSE
import Testing

@Suite("key sets")
struct JSONWebKeySetTests {
  static let p256 = #""kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU""#
  static let point = p256 + #","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0""#
  static let ed25519 = #""kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo""#

  /// Unsupported keys as in real sets, and invalid ones.
  static let exotic =
    [
      #"{"kty":"oct","kid":"a","alg":"HS256","k":"c2VjcmV0"}"#,
      #"{"kty":"EC","crv":"secp256k1","kid":"a","x":"AA","y":"AA"}"#,
      #"{"kty":"OKP","crv":"X25519","kid":"a","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
      #"{"kty":"OKP","crv":"Ed448","alg":"Ed448","kid":"a","x":"AA"}"#,
      #"{"kty":"AKP","alg":"ML-DSA-65","kid":"a","pub":"AA"}"#,
      #"{\#(p256)}"#,
      #"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#,
      #"{"kty":"RSA","kid":"certificate alone","x5c":["AAAA"]}"#,
      #"{"kty":"rsa"}"#, #"{"kty":5}"#,
      "{}", "[]", "null", "5", #""key""#,
    ] + unusableMembers.map { "{\(point),\($0)}" } + invalidOrdinates.map { "{\(p256),\"y\":\($0)}" }

  /// Members that make a valid key unusable.
  private static let unusableMembers = [
    #""alg":"Ed25519""#, #""alg":"EdDSA""#, #""alg":"ECDH-ES""#, #""alg":"ES384""#, #""alg":"RS256""#,
    #""use":"enc""#, #""key_ops":["sign"]"#,
  ]

  private static let invalidOrdinates = [
    #""x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a1""#, #""x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5aw""#,
    #""x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0!""#,
  ]

  @Test("an unsupported key is ignored", arguments: exotic)
  func skipped(key: String) throws {
    #expect(JSONWebKey(try JSONValue(parsing: key.utf8)) == nil)
    let set = try JSONWebKeySet(parsing: #"{"keys":[{\#(Self.ed25519),"kid":"1"},\#(key),{\#(Self.point)}]}"#.utf8)
    #expect(set.keys.map(\.keyID) == ["1", nil])
  }

  @Test("numbers may have the standard Base64 alphabet with padding")
  func padding() throws {
    let plain = try #require(JSONWebKey(try JSONValue(parsing: "{\(Self.point)}".utf8)))
    let padded = #"{\#(Self.p256),"y":"x/FEzRu9m36HLN/tue659LNpXW6pCyStikYjKIWI5a0="}"#
    let key = try #require(JSONWebKey(try JSONValue(parsing: padded.utf8)))
    #expect(key.publicKey.thumbprint == plain.publicKey.thumbprint)
  }

  @Test("an RSA key with an algorithm is used only for it")
  func pinned() throws {
    let webKey = try SigningKey.generate(for: .rs256).publicKey.webKey
    let free = try #require(JSONWebKey(.object(webKey)))
    #expect(SignatureAlgorithm.allCases.filter(free.suits) == [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512])
    let pinned = try #require(JSONWebKey(.object(webKey.merging(["alg": "PS256"]))))
    #expect(SignatureAlgorithm.allCases.filter(pinned.suits) == [.ps256])
  }

  @Test("a key ID finds its keys only; no key ID finds all")
  func candidates() throws {
    let keys = [(Self.point, "a"), (Self.ed25519, "a"), (Self.point, "b")].map { #"{\#($0),"kid":"\#($1)"}"# }
    let text = (keys + ["{\(Self.point)}"]).joined(separator: ",")
    let set = try JSONWebKeySet(parsing: #"{"keys":[\#(text)]}"#.utf8)
    for (keyID, count) in [("a", 2), ("b", 1), ("A", 0), ("", 0), (nil, 4)] as [(String?, Int)] {
      #expect(set.candidates(keyID: keyID).count == count)
    }
  }

  @Test(
    "an invalid key set is rejected",
    arguments: ["", "null", "[]", "{}", #"{"keys":{}}"#, #"{"keys":null}"#, #"{"keys":[}"#, "<html>"]
  )
  func malformed(text: String) {
    let error = #expect(throws: TokenRejection.self) { try JSONWebKeySet(parsing: text.utf8) }
    #expect(error?.rule == .keySetMalformed)
  }

  @Test("too many keys or bytes are rejected")
  func limits() throws {
    func set(_ count: Int) -> String {
      #"{"keys":[\#(Array(repeating: "{\(Self.ed25519)}", count: count).joined(separator: ","))]}"#
    }
    let most = JSONWebKeySet.maximumCount
    #expect(try JSONWebKeySet(parsing: set(most).utf8).keys.count == most)
    let long = #"{"keys":[]}"# + String(repeating: " ", count: JSONWebKeySet.maximumSize)
    for text in [set(most + 1), long] {
      let error = #expect(throws: TokenRejection.self) { try JSONWebKeySet(parsing: text.utf8) }
      #expect(error?.rule == .keySetTooLarge)
    }
  }
}

@Suite("thumbprints (RFC 7638)")
struct ThumbprintTests {
  @Test("the keys of RFC 9449 §6.1 and RFC 8037 appendix A.3 have the published thumbprints")
  func published() throws {
    func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }
    let (x, y) = ("l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs", "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA")
    let key = try PublicKey.ellipticCurve(.p256, x: bytes(x), y: bytes(y))
    #expect(key.thumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    let edwards = try PublicKey.ed25519(x: bytes("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
    #expect(edwards.thumbprint == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
  }
}
