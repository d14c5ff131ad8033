import TestSupport
import Testing

@Suite("a token store that is not to be trusted", .limitedConcurrency)
struct StoreTests {
  @Test("a damaged cache exits 6, is set aside, and not a byte of it is lost")
  func damaged() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let whole = try #require(fixture.home.read(ProviderMockFixture.cacheFile))
    let damaged = String(whole.dropLast(40))
    try fixture.home.write(damaged, to: ProviderMockFixture.cacheFile)

    let outcome = try await fixture.run("token")
    #expect(outcome.code == 6 && outcome.stdout.isEmpty, "\(outcome)")
    #expect(outcome.stderr.contains("token_cache.json"), "\(outcome)")
    let kept = fixture.home.files(below: "state/msauth").contains { fixture.home.read("state/msauth/\($0)") == damaged }
    #expect(kept, "\(fixture.home.files(below: "state/msauth"))")
    try await fixture.signIn()
  }

  @Test("a cache that others can read exits 6")
  func readableByOthers() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let file = fixture.home.path(ProviderMockFixture.cacheFile)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    let outcome = try await fixture.run("token")
    #expect(outcome.code == 6 && outcome.stdout.isEmpty && outcome.stderr.contains(file), "\(outcome)")
  }

  @Test("a symbolic link in the cache's place exits 6, and what it leads to is untouched")
  func symbolicLink() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let file = fixture.home.path(ProviderMockFixture.cacheFile)
    let target = fixture.home.path("elsewhere.json")
    try FileManager.default.moveItem(atPath: file, toPath: target)
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: target)
    let before = fixture.home.read("elsewhere.json")
    let outcome = try await fixture.run("token", "--force-refresh")
    #expect(outcome.code == 6 && outcome.stdout.isEmpty && outcome.stderr.contains(file), "\(outcome)")
    #expect(fixture.home.read("elsewhere.json") == before)
  }

  @Test("of ten at once one renews, and all get its result")
  func renewalByMany() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    try fixture.home.expireAccessTokens(in: ProviderMockFixture.cacheFile)
    let before = fixture.provider.proxy.values(of: "access_token").count
    let outcomes = try await withThrowingTaskGroup(of: CommandRunner.Outcome.self) { group in
      for _ in 0..<10 { group.addTask { try await fixture.run("token") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.allSatisfy { $0.code == 0 }, "\(outcomes)")
    #expect(Set(outcomes.map(\.stdout)).count == 1)
    #expect(fixture.provider.proxy.values(of: "access_token").count == before + 1)
  }

  @Test("--store memory leaves no token behind, and is nothing to sign in to for later")
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

  @Test("--cache-file puts the tokens where it says")
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
