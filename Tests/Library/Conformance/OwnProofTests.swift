import DemoProvider
import MSAuth
import TestSupport
import Testing

@Suite("DPoP proofs for the application's own requests")
struct OwnProofTests {
  @Test("a request of the application's own is proved for with the token and the newest nonce")
  func ownRequest() async throws {
    try await withFixture {
      $0.usesDPoP = true
    } _: { fixture in
      let token = try await fixture.signIn()
      await fixture.provider.set(faults: [.dpopNonceDemanded])
      let url = fixture.provider.graphURL + "/v1.0/me?$select=displayName"
      func send(nonce: String?) async throws -> WebResponse {
        let proof = try await fixture.application.dpopProof(
          method: "GET",
          url: #require(URL(string: url)),
          token: token,
          nonce: nonce
        )
        let headers = [(name: "Authorization", value: token.authorizationHeader), (name: "DPoP", value: proof)]
        return try await WebClient.send("GET", url, headers: headers)
      }
      let first = try await send(nonce: nil)
      #expect(first.status == 401)
      #expect(try await send(nonce: first.header("dpop-nonce")).status == 200)
      // What was given is remembered for who does not give one; the provider takes it once.
      let again = ProofText(
        try await fixture.application.dpopProof(method: "GET", url: #require(URL(string: url)), token: token)
      )
      #expect(again?.nonce == first.header("dpop-nonce"))
    }
  }

  @Test(
    "what cannot be proved for is a parameter's fault",
    arguments: [
      ("get", "https://api.example/", nil), ("GET", "api.example", nil), ("GET", "https://api.example/", "a b"),
    ]
      as [(String, String, String?)]
  )
  func noProof(_ method: String, _ url: String, _ nonce: String?) async throws {
    try await withFixture {
      $0.usesDPoP = true
    } _: { fixture in
      let token = try await fixture.signIn()
      let error = await #expect(throws: AuthenticationError.self) {
        try await fixture.application.dpopProof(
          method: method,
          url: #require(URL(string: url)),
          token: token,
          nonce: nonce
        )
      }
      #expect(error?.code == .invalidParameter)
    }
  }

  @Test("a bearer token takes no proof, which is said")
  func bearer() async throws {
    try await withFixture { fixture in
      let token = try await fixture.signIn()
      let error = await #expect(throws: AuthenticationError.self) {
        try await fixture.application.dpopProof(
          method: "GET",
          url: #require(URL(string: "https://api.example/")),
          token: token
        )
      }
      #expect(
        error?.reason == "token_not_bound"
          && error?.hint
            == "turn on \(setting: "dpop", or: "DPoP") and sign in again, or send the token without a proof"
      )
      #expect(await fixture.provider.record.allSatisfy { $0.dpopProof == nil && $0["dpop_jkt"] == nil })
    }
  }
}
