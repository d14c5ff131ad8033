import TestSupport
import Testing

@Suite("explicit token stores", .limitedConcurrency)
struct StoreTests {
  @Test("--store memory stores no token, and rejects a sign-in for later use")
  func memory() async throws {
    let fixture = try await ProviderMockFixture()
    let identity = [
      "--authority", fixture.provider.authority, "--client-id", "fixture", "--store", "memory", "--scope", "openid",
    ]
    let login = try await fixture.runner.run(["login"] + identity)
    #expect(login.code == 64 && login.stderr.contains("would lose the sign-in"), "\(login)")
    let child = try fixture.runner.start(["token", "--interactive", "--no-browser"] + identity)
    _ = try await fixture.provider.signIn(at: try await child.printedURL())
    #expect(try await fixture.runner.outcome(of: child).code == 0)
    #expect(!fixture.provider.secrets.isEmpty)
    for file in fixture.home.files(below: ".") {
      let text = fixture.home.read(file) ?? ""
      for secret in fixture.provider.secrets { #expect(!text.contains(secret), "in \(file)") }
    }
  }

  @Test("--cache-file sets the cache's location")
  func cacheFile() async throws {
    let fixture = try await ProviderMockFixture()
    let file = fixture.home.path("private/tokens.json")
    try FileManager.default.createDirectory(
      atPath: fixture.home.path("private"),
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    let login = try await fixture.startLogin("--cache-file", file)
    #expect(try await fixture.complete(login).code == 0)
    #expect(fixture.home.read("private/tokens.json")?.contains("RefreshToken") == true)
    #expect(fixture.home.read(ProviderMockFixture.cacheFile) == nil)
    #expect(try await fixture.run("status", "--cache-file", file).stdout == ProviderMock.username + "\n")
  }
}
