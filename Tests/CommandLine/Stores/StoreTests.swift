import TestSupport
import Testing

@Suite("explicit token stores", .limitedConcurrency)
struct StoreTests {
  @Test("--store memory stores no token, and rejects a sign-in for later use")
  func memory() async throws {
    var fixture = try await ProviderMockFixture()
    fixture.store = "memory"
    try await fixture.run("login").expect(64, "would lose the sign-in")
    let child = try fixture.start(["token", "--interactive", "--no-browser", "--scope", "openid"])
    _ = try await fixture.provider.signIn(at: try await child.printedURL())
    try await fixture.runner.outcome(of: child).expect(0)
    #expect(!fixture.provider.secrets.isEmpty)
    for file in fixture.home.files(below: ".") {
      let text = fixture.home.read(file) ?? ""
      for secret in fixture.provider.secrets { #expect(!text.contains(secret), "in \(file)") }
    }
  }
}
