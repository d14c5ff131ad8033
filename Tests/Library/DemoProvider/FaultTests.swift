@testable import DemoProvider
import MSAuthCore
import MSAuthCrypto
import Testing

/// The faults that a client tolerates; Conformance proves those that it rejects.
@Suite("DemoProvider: tolerated faults")
struct FaultTests {
  @Test("keys rotate between sign-ins, or just before signing")
  func rotation() async throws {
    let client = try await DemoClient(kind: .oidc)
    for fault in [Fault.signingKeyRotation, .signingKeyRotationJustBeforeSigning] {
      await client.provider.set(faults: [fault])
      let code = try #require(try await client.signIn()["code"])
      let before = try await client.keys()
      let token = try UnverifiedToken(try await client.redeem(code).json["id_token"]?.string)
      #expect(try token.verified(by: before) == [fault == .signingKeyRotation])
      #expect(try token.verified(by: await client.keys()) == [true])
      _ = try await client.tokens()
      #expect(try token.verified(by: await client.keys()) == [false])
    }
  }

  @Test("an ID token's audience or key ID is unusual")
  func idToken() async throws {
    let client = try await DemoClient(kind: .oidc)
    func token(_ fault: Fault) async throws -> UnverifiedToken {
      await client.provider.set(faults: [fault])
      return try UnverifiedToken(try await client.tokens()["id_token"]?.string)
    }

    #expect(try await token(.validAudAsArray).claims["aud"] == [.string(client.provider.clientID)])
    let single = try await token(.kidAbsentSingleJWKS)
    #expect(single.header["kid"] == nil)
    #expect(try single.verified(by: await client.keys()) == [true])
    let several = try await token(.kidAbsentMultipleJWKS)
    #expect(several.header["kid"] == nil)
    #expect(try several.verified(by: await client.keys()) == [false, true])
  }

  @Test(
    "a token response is unusual",
    arguments: [
      (.tokenTypeCase, "token_type", "bEaReR"), (.tokenExpiresInText, "expires_in", "3600"),
      (.tokenExpiresInNegative, "expires_in", -1), (.tokenWithoutExpiresIn, "expires_in", nil),
    ] as [(Fault, String, JSONValue?)]
  )
  func tokenResponse(_ fault: Fault, _ member: String, _ value: Optional<JSONValue>) async throws {
    let tokens = try await DemoClient(options: DemoOptions(faults: [fault], algorithm: .es256)).tokens()
    #expect(tokens[member] == value && tokens["access_token"] != nil)
  }
}
