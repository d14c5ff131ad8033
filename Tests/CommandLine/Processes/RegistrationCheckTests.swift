import TestSupport
import Testing

@Suite("msauth doctor's registration check at Microsoft Entra", .limitedConcurrency)
struct RegistrationCheckTests {
  @Test("an unknown client ID is reported with the tenant and a hint where to find the right one")
  func unknownClientID() async throws {
    let fixture = try await DemoProviderFixture()
    let wrong = "11111111-2222-3333-4444-55555555555f"
    let outcome = try await fixture.run("doctor", "--json", client: wrong)
    let checks = try JSONValue(parsing: Array(outcome.stdout.utf8))["checks"]?.array ?? []
    let check = checks.first { $0["name"] == "registration" }
    #expect(outcome.code == 1 && check?["status"] == "failed", "\(outcome)")
    #expect(
      check?["message"]?.string == "client ID \(wrong) is not registered in tenant common (AADSTS700016)",
      "\(outcome)"
    )
    #expect(
      check?["hint"]?.string == "compare --client-id with Overview in the app registration",
      "\(outcome)"
    )
  }
}
