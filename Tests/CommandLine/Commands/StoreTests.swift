import TestSupport
import Testing

@Suite("explicit token stores", .limitedConcurrency)
struct StoreTests {
  @Test("--store memory stores no token, and rejects a sign-in for later use")
  func memory() async throws {
    var fixture = try await ProviderMockFixture()
    fixture.store = "memory"
    let login = try await fixture.run("login")
    #expect(login.code == 64 && login.stderr.contains("would lose the sign-in"), "\(login)")
    let child = try fixture.start(["token", "--interactive", "--no-browser", "--scope", "openid"])
    _ = try await fixture.provider.signIn(at: try await child.printedURL())
    #expect(try await fixture.runner.outcome(of: child).code == 0)
    #expect(!fixture.provider.secrets.isEmpty)
    for file in fixture.home.files(below: ".") {
      let text = fixture.home.read(file) ?? ""
      for secret in fixture.provider.secrets { #expect(!text.contains(secret), "in \(file)") }
    }
  }
}
