import MSAuthCore
@testable import MSAuthOAuth
import Testing

@Suite("userinfo")
struct UserInfoTests {
  private func read(_ body: String, status: Int = 200) throws -> IDTokenClaims {
    let response = EndpointResponse(status: status, body: Array(body.utf8))
    return try IDTokenClaims(userInfo: response, about: "s-1")
  }

  @Test("claims of the ID token's subject are accepted")
  func claims() throws {
    let claims = try read(#"{"sub": "s-1", "email": "a@b.example", "_claim_names": {"x": "y"}}"#)
    #expect(claims.username == "a@b.example")
  }

  @Test(
    "claims of another subject, or none, are rejected (OpenID Connect Core 5.3.2)",
    arguments: [#"{"sub": "s-2"}"#, #"{"email": "a@b.example"}"#, #"{"sub": null}"#, #"{"sub": ["s-1"]}"#, "{}"]
  )
  func foreign(_ body: String) {
    #expect(throws: AuthenticationError.userInfoSubject) { try read(body) }
  }

  @Test("a response that isn't a JSON object is rejected")
  func form() {
    for body in ["[]", "e30.e30.", #"{"sub": "s-1", "sub": "s-1"}"#] {
      let error = AuthenticationError.invalidResponse("it isn't a JSON object with unique members")
      #expect(throws: error) { try read(body) }
    }
    #expect(throws: AuthenticationError.serverUnavailable(status: 503, retryAfter: nil)) { try read("", status: 503) }
  }
}
