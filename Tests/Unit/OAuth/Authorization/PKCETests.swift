import MSAuthCore
import MSAuthOAuth
import Testing

@Suite("PKCE")
struct PKCETests {
  @Test("RFC 7636 appendix B: the challenge is that of the specification's own example")
  func vector() {
    let pkce = ProtocolFixtures.pkce
    #expect(pkce.verifier.revealed == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    #expect(pkce.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    #expect(PKCE.method == "S256")
  }

  @Test("a verifier has 43 characters and is never printed")
  func secret() {
    let pkce = PKCE(random: Array(repeating: 7, count: PKCE.randomByteCount))
    #expect(pkce.verifier.revealed.count == 43)
    #expect(!ProtocolFixtures.printed(pkce).contains(pkce.verifier.revealed))
  }
}
