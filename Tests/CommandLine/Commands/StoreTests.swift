import Foundation
import Core
import TestSupport
import Testing

@Suite("a token store that is not to be trusted", .fewAtOnce)
struct StoreTests {
  @Test("a damaged cache exits 6, is set aside, and not a byte of it is lost")
  func damaged() async throws {
    let bench = try await SignInBench()
    try await bench.signIn()
    let whole = try #require(bench.home.read(SignInBench.cacheFile))
    let damaged = String(whole.dropLast(40))
    try bench.home.write(damaged, to: SignInBench.cacheFile)

    let outcome = try await bench.run("token")
    #expect(outcome.code == 6 && outcome.stdout.isEmpty, "\(outcome)")
    #expect(outcome.stderr.contains("token_cache.json"), "\(outcome)")
    let kept = bench.home.files(below: "state/msauth").contains { bench.home.read("state/msauth/\($0)") == damaged }
    #expect(kept, "\(bench.home.files(below: "state/msauth"))")
    try await bench.signIn()
  }

  @Test("a cache that others can read exits 6")
  func readableByOthers() async throws {
    let bench = try await SignInBench()
    try await bench.signIn()
    let file = bench.home.path(SignInBench.cacheFile)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    let outcome = try await bench.run("token")
    #expect(outcome.code == 6 && outcome.stdout.isEmpty && outcome.stderr.contains(file), "\(outcome)")
  }

  @Test("a symbolic link in the cache's place exits 6, and what it leads to is untouched")
  func symbolicLink() async throws {
    let bench = try await SignInBench()
    try await bench.signIn()
    let file = bench.home.path(SignInBench.cacheFile)
    let target = bench.home.path("elsewhere.json")
    try FileManager.default.moveItem(atPath: file, toPath: target)
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: target)
    let before = bench.home.read("elsewhere.json")
    let outcome = try await bench.run("token", "--force-refresh")
    #expect(outcome.code == 6 && outcome.stdout.isEmpty && outcome.stderr.contains(file), "\(outcome)")
    #expect(bench.home.read("elsewhere.json") == before)
  }

  @Test("of ten at once one renews, and all get its result")
  func renewalByMany() async throws {
    let bench = try await SignInBench()
    try await bench.signIn()
    try expireAccessTokens(in: bench.home)
    let before = bench.provider.tap.values(of: "access_token").count
    let outcomes = try await withThrowingTaskGroup(of: CommandRunner.Outcome.self) { group in
      for _ in 0..<10 { group.addTask { try await bench.run("token") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.allSatisfy { $0.code == 0 }, "\(outcomes)")
    #expect(Set(outcomes.map(\.stdout)).count == 1)
    #expect(bench.provider.tap.values(of: "access_token").count == before + 1)
  }

  @Test("--store memory leaves no token behind")
  func memory() async throws {
    let bench = try await SignInBench()
    let child = try bench.runner.start([
      "login", "--authority", bench.provider.authority, "--client-id", "bench", "--store", "memory", "--scope",
      "openid",
    ])
    _ = try await bench.provider.signIn(at: try await child.printedURL())
    #expect(try await bench.runner.outcome(of: child).code == 0)
    for file in bench.home.files(below: ".") {
      let text = bench.home.read(file) ?? ""
      for secret in bench.provider.secrets { #expect(!text.contains(secret), "in \(file)") }
    }
  }

  @Test("--cache-file puts the tokens where it says")
  func cacheFile() async throws {
    let bench = try await SignInBench()
    let file = bench.home.path("private/tokens.json")
    try FileManager.default.createDirectory(
      atPath: bench.home.path("private"),
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    let login = try await bench.startLogin("--cache-file", file)
    _ = try await bench.provider.signIn(at: login.url)
    #expect(try await bench.runner.outcome(of: login.child).code == 0)
    #expect(bench.home.read("private/tokens.json")?.contains("RefreshToken") == true)
    #expect(bench.home.read(SignInBench.cacheFile) == nil)
    #expect(try await bench.run("status", "--cache-file", file).stdout == ProviderMock.username + "\n")
  }

  /// Makes the stored access tokens old, as time would.
  private func expireAccessTokens(in home: Home) throws {
    let text = try #require(home.read(SignInBench.cacheFile))
    var cache = try #require(try JSON(parsing: text.utf8).object)
    var tokens = try #require(cache["AccessToken"]?.object)
    for (key, entry) in tokens {
      var members = try #require(entry.object)
      members["expires_on"] = "1"
      members["extended_expires_on"] = "1"
      tokens[key] = .object(members)
    }
    #expect(!tokens.isEmpty)
    cache["AccessToken"] = .object(tokens)
    try home.write(String(decoding: JSON.object(cache).serialized(), as: UTF8.self), to: SignInBench.cacheFile)
  }
}
