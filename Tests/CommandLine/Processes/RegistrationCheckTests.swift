import TestSupport
import Testing

@Suite("msauth doctor's registration check at Microsoft Entra", .limitedConcurrency)
struct RegistrationCheckTests {
  @Test("an unknown client ID is reported with the tenant and a hint where to find the right one")
  func unknownClientID() async throws {
    let fixture = try await DemoProviderFixture()
    let wrong = "11111111-2222-3333-4444-55555555555f"
    let outcome = try await fixture.run("doctor", "--json", client: wrong)
    let check = try outcome.json["checks"]?.array?.first { $0["name"] == "registration" }
    #expect(outcome.code == 1 && check?["status"] == "failed", "\(outcome)")
    let message = "client ID \(wrong) is not registered in tenant common (AADSTS700016)"
    #expect(check?["message"]?.string == message, "\(outcome)")
    #expect(check?["hint"] == "compare --client-id with Overview in the app registration", "\(outcome)")
  }
}
