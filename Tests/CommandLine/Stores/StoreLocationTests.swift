@testable import DemoProvider
import TestSupport
import Testing

@Suite("the store's location", .limitedConcurrency)
struct StoreLocationTests {
  @Test(
    "a relative cache file is rejected if the working directory was removed or isn't UTF-8",
    arguments: [
      #"mkdir "$1/gone"; cd "$1/gone"; rmdir "$1/gone""#, #"d=$(printf '%s/\377' "$1"); mkdir "$d"; cd "$d""#,
    ]
  )
  func workingDirectory(_ enter: String) async throws {
    var runner = try CommandRunner()
    runner.prefix = ["/bin/sh", "-c", #"\#(enter); shift; exec "$@""#, "sh", runner.home.path("data")]
    try await runner.run("accounts", "--client-id", "c", "--cache-file", "token_cache.json")
      .expect(6, "working directory", stdout: "")
  }

  @Test("without HOME, the XDG directories are used; relative ones are ignored, as the specification requires")
  func folders() async throws {
    var fixture = try await DemoProviderFixture(signedIn: "ada")
    let token = try await fixture.run("token").stdout
    fixture.runner.prefix = ["/usr/bin/env", "-u", "HOME"]
    #expect(try await fixture.run("token").stdout == token)

    fixture.runner.prefix = []
    fixture.runner.environment["XDG_STATE_HOME"] = "state"
    try await fixture.complete(fixture.start(["login"])).expect(0, "XDG_STATE_HOME is ignored")
    #expect(fixture.home.read("home/.local/state/msauth/token_cache.json") != nil)
    let accounts = try await fixture.runner.run("accounts", "--all")
    #expect(accounts.stderr.ranges(of: "XDG_STATE_HOME is ignored").count == 1, "\(accounts)")
  }

  @Test("a file system without working locks is reported at once, and no lock file is left")
  func noLocks() async throws {
    var fixture = try await DemoProviderFixture(signedIn: "ada")
    let token = try await fixture.run("token").stdout
    fixture.runner.environment = try await PreloadedLibrary(PreloadedLibrary.noLocks, in: fixture.home).environment
    await fixture.provider.forgetRecord()
    for command in [["token", "--force-refresh"], ["login", "--no-browser"]] {
      try await fixture.run(command).expect(6, "No locks available", stdout: "", lacks: "state=", "holds the lock")
      #expect(fixture.home.files(below: "state/msauth") == ["token_cache.json"])
    }
    #expect(await fixture.grants().isEmpty)
    #expect(try await fixture.run("token").stdout == token)
  }

  @Test(
    "without space or write permission, stored tokens are printed, and no refresh token is used up",
    arguments: Shortage.allCases
  )
  func shortage(_ shortage: Shortage) async throws {
    let fixture = try await DemoProviderFixture(DemoOptions(rotates: true), signedIn: "ada")
    let before = try fixture.cache()
    var limited = fixture
    limited.runner.prefix = try await shortage.command(fixture.home.path("state/msauth"))
    await fixture.provider.forgetRecord()
    let read = try await limited.run("token")
    #expect(read.code == 0 && read.stdout.hasPrefix("demo-at-"), "\(read)")
    try await limited.run("token", "--force-refresh").expect(6, "state/msauth/token_cache.json", stdout: "")
    #expect(await fixture.grants().isEmpty)
    // login fails before the browser opens.
    try await limited.run("login", "--no-browser").expect(6, "state/msauth/token_cache.json", lacks: "state=")
    // doctor reports the same error.
    let lines = try await limited.run("doctor").stdout.split(separator: "\n")
    let store = try #require(lines.first { $0.contains(" store ") })
    #expect(store.hasPrefix("failed") && store.contains("state/msauth/token_cache.json"), "\(lines)")
    #expect(await fixture.grants().isEmpty)
    #expect(try fixture.cache() == before)
    // status needs no space.
    try await limited.run("status").expect(0, stdout: ada + "\n")
    try await fixture.run("token", "--force-refresh").expect(0)
    #expect(fixture.home.files(below: "state/msauth") == ["token_cache.json"])
  }
}
