import MSAuthCore
import MSAuthCrypto
import MSAuthJOSE
import MSAuthOAuth
import Testing

@Suite("ID token signatures")
struct IDTokenSignatureTests {
  @Test("a different key of the same kind is rejected", arguments: [SignatureAlgorithm.rs256, .es256, .edDSA])
  func forged(algorithm: SignatureAlgorithm) throws {
    let signer = try SampleSignIn.signer(algorithm)
    let forger = Signer(key: try .generate(for: algorithm), algorithm: algorithm, keyID: "key-1")
    // A key in the header may be an attacker's and is ignored (RFC 8725 §3.10).
    let header: JSONValue.Object = ["jwk": forger.jwk(), "jku": "https://evil.example/keys"]
    let token = try forger.token(SampleSignIn.claims(algorithm), header: header)
    #expect(SampleSignIn.rejection(of: token, keys: try SampleSignIn.keySet(signer.jwk())) == .signatureInvalid)
  }

  @Test("an unknown key has its own error, so that the set can be fetched again")
  func unknownKey() throws {
    let (old, new) = (try SampleSignIn.signer(keyID: "old"), try SampleSignIn.signer(keyID: "new"))
    let token = try new.token(SampleSignIn.claims())
    let error = #expect(throws: TokenRejection.self) {
      try IDToken.validate(token, keys: SampleSignIn.keySet(old.jwk()), rules: SampleSignIn.rules())
    }
    #expect(error?.rule == .keyUnknown && error?.mayComeFromStaleKeys == true)
    #expect(error?.message.contains("\"new\"") == true)
    #expect(SampleSignIn.rejection(of: token, keys: try SampleSignIn.keySet(old.jwk(), new.jwk())) == nil)
    #expect(SampleSignIn.rejection(of: token, keys: try SampleSignIn.keySet()) == .keyUnknown)
  }

  @Test("a token for another client doesn't fetch new keys")
  func orderOfChecks() throws {
    var claims = SampleSignIn.claims()
    claims["aud"] = "another"
    let token = try SampleSignIn.signer(keyID: "unknown").token(claims)
    #expect(SampleSignIn.rejection(of: token, keys: try SampleSignIn.keySet()) == .audienceMismatch)
  }

  @Test("without a kid, a single key is used, and of several, every suitable one is tried")
  func kidAbsent() throws {
    let signer = try SampleSignIn.signer(keyID: nil)
    let other = Signer(key: try .generate(for: .es256), algorithm: .es256, keyID: nil)
    let rsa = try SampleSignIn.signer(.rs256, keyID: nil).jwk()
    let named = try SampleSignIn.signer(keyID: "named").jwk()
    let token = try signer.token(SampleSignIn.claims())
    for (keys, rule) in [
      ([signer.jwk()], nil), ([named], nil), ([rsa, other.jwk(), signer.jwk()], nil),
      ([rsa, other.jwk()], .signatureInvalid), ([rsa], .keyUnknown),
    ] as [([JSONValue], TokenRejection.Rule?)] {
      #expect(SampleSignIn.rejection(of: token, keys: try SampleSignIn.keySet(keys)) == rule)
    }
  }

  @Test("a key is used only for its own algorithm")
  func keyAlgorithm() throws {
    let signer = try SampleSignIn.signer(.rs256)
    let token = try signer.token(SampleSignIn.claims(.rs256))
    for (key, rule) in try [
      (signer.jwk(["alg": "PS256"]), .keyUnsuitable), (SampleSignIn.signer(.es256).jwk(), .keyUnsuitable),
      (signer.jwk(["use": "enc"]), .keyUnknown),
    ] as [(JSONValue, TokenRejection.Rule)] {
      #expect(SampleSignIn.rejection(of: token, keys: try SampleSignIn.keySet(key)) == rule)
    }
  }

  @Test("Ed25519 and EdDSA are the same algorithm (RFC 9864), in the metadata, the key and the token")
  func fullySpecified() throws {
    let names = ["EdDSA", "Ed25519"]
    let signer = try SampleSignIn.signer(.edDSA)
    let other = try SampleSignIn.signer(.es256)
    for inToken in names {
      let token = try signer.token(SampleSignIn.claims(.edDSA), header: ["alg": .string(inToken)])
      for (inKey, listed) in zip(names, names.reversed()) {
        let rules = SampleSignIn.rules { $0.algorithms = IDTokenRules.algorithms(advertised: [listed]) }
        let keys = try SampleSignIn.keySet(signer.jwk(["alg": .string(inKey)]))
        #expect(SampleSignIn.rejection(of: token, keys: keys, rules: rules) == nil)
      }
      let unnamed = try SampleSignIn.keySet(signer.jwk())
      #expect(SampleSignIn.rejection(of: token, keys: unnamed) == nil)
      // A key of another kind isn't used for this name.
      #expect(SampleSignIn.rejection(of: token, keys: try SampleSignIn.keySet(other.jwk())) == .keyUnsuitable)
      let forged = try other.token(SampleSignIn.claims(.edDSA), header: ["alg": .string(inToken)])
      #expect(SampleSignIn.rejection(of: forged, keys: unnamed) == .signatureInvalid)
    }
  }

  @Test("only advertised algorithms are accepted")
  func announced() throws {
    let signer = try SampleSignIn.signer(.es256)
    let token = try signer.token(SampleSignIn.claims())
    let keys = try SampleSignIn.keySet(signer.jwk())
    for (names, rule) in [
      (["RS256", "ES256"], nil), (["RS256"], .algorithmNotAllowed), ([], .algorithmNotAllowed),
      (["HS256", "none", "ES256K"], .algorithmNotAllowed),
    ] as [([String], TokenRejection.Rule?)] {
      let rules = SampleSignIn.rules { $0.algorithms = IDTokenRules.algorithms(advertised: names) }
      #expect(SampleSignIn.rejection(of: token, keys: keys, rules: rules) == rule)
    }
  }
}
