import DemoProvider
import MSAuth
import Testing

@Suite("who answers: the issuer in the redirect, at Entra too")
struct IssuerTests {
  @Test(
    "an answer that names another issuer ends the sign-in, and its code is not sent",
    arguments: ["common", "organizations", Tenant.contoso.id]
  )
  func foreign(_ audience: String) async throws {
    try await withFixture([.invalidAuthorizationResponseIss], kind: .entra(audience)) { fixture in
      let error = try #require(await #expect(throws: AuthenticationError.self) { try await fixture.signIn() })
      #expect(error.code == .invalidResponse && error.reason == "iss_mismatch", "\(error)")
      #expect(await !fixture.provider.record.contains { $0.path.hasSuffix("/token") })
      #expect(await fixture.storeIsEmpty)
    }
  }

  @Test("an answer of another tenant than the one that the ID token names is refused, and nothing is stored")
  func otherTenant() async throws {
    try await withFixture([.otherTenantIss], kind: .entra("common")) { fixture in
      let error = try #require(await #expect(throws: AuthenticationError.self) { try await fixture.signIn() })
      #expect(error.code == .invalidResponse && error.reason == "iss_mismatch", "\(error)")
      #expect(await fixture.storeIsEmpty)
    }
  }
}
