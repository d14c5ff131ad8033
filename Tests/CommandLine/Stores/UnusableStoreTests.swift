@testable import DemoProvider
import TestSupport
import Testing

@Suite("unusable stores", .limitedConcurrency)
struct UnusableStoreTests {
  private let fixture: DemoProviderFixture

  init() async throws { fixture = try await DemoProviderFixture(signedIn: "ada") }

  /// Truncates a valid cache, or replaces it by a symbolic link, which may be another user's.
  private func spoil(byLink isLink: Bool) throws {
    let (home, file) = (fixture.home, Home.cacheFile)
    guard isLink else {
      try home.write(String((home.read(file) ?? "").dropLast(40)), to: file)
      return
    }
    try FileManager.default.moveItem(atPath: home.path(file), toPath: home.path("elsewhere"))
    try home.link(file, to: home.path("elsewhere"))
  }

  // FileStoreTests, DamageTests and PathTrustTests prove the other defects.
  @Test(
    "a command that needs the store exits 6 with the path and what to do, as doctor does, and changes nothing",
    arguments: [(true, "replace the symbolic link "), (false, "run msauth login ")]
  )
  func rejected(isLink: Bool, hint: String) async throws {
    try spoil(byLink: isLink)
    await fixture.provider.forgetRecord()
    func files() -> [String] { fixture.home.files(below: ".").filter { !$0.hasPrefix("cache/") } }
    let (path, before) = (fixture.home.path(Home.cacheFile), files())
    let old = fixture.home.read(Home.cacheFile)
    for command in [["token"], ["accounts"], ["status"], ["token", "--force-refresh"]] {
      try await fixture.run(command).expect(6, path, "hint: \(hint)", stdout: "")
    }
    // With an explicit prompt, a sign-in doesn't read who signed out; a damaged cache would be set aside.
    for prompt in isLink ? [[], ["--prompt", "login"]] : [] {
      try await fixture.run(["login", "--no-browser"] + prompt).expect(6, lacks: "state=")
    }
    let outcome = try await fixture.run("doctor", "--json").expect(1).expectCheck("store", "failed", path)
    #expect(try outcome.check("store")?["hint"]?.string?.hasPrefix(hint) == true, "\(outcome)")
    #expect(await fixture.grants().isEmpty)
    #expect(files() == before && fixture.home.read(Home.cacheFile) == old)
  }

  @Test("a number that Python writes and JSON doesn't allow is kept")
  func notANumber() async throws {
    let cache = try #require(fixture.home.read(Home.cacheFile))
    try fixture.home.write(
      #"{"Foreign": {"ratio": NaN, "limit": -Infinity},"# + cache.dropFirst(),
      to: Home.cacheFile
    )
    try await fixture.run("token", "--force-refresh").expect(0)
    let after = try #require(fixture.home.read(Home.cacheFile))
    #expect(after.contains(#""ratio": NaN"#) && after.contains(#""limit": -Infinity"#), "\(after.prefix(200))")
  }

  @Test("a cache that another program is rewriting in place is waited for")
  func rewrittenInPlace() async throws {
    let token = try await fixture.run("token").stdout
    // Writes as MSAL Python does: under the lock, with an empty file in between, here for longer.
    let script = #"""
      set -C; printf '%s sh' $$ > "$1.lockfile"; set +C; cache=$(cat "$1"); : > "$1"; echo empty; sleep 1
      printf %s "$cache" > "$1"; rm "$1.lockfile"
      """#
    let writer = try ChildProcess(["/bin/sh", "-c", script, "sh", fixture.home.path(Home.cacheFile)])
    #expect(try await writer.firstLine() == "empty")
    try await fixture.run("token").expect(0, stdout: token)
    #expect(try await writer.end() == .exited(0))
  }

  @Test("a sign-in reports that it sets a damaged cache aside, and logout --all --wipe leaves no token there either")
  func wipesSetAside() async throws {
    try spoil(byLink: false)
    try await fixture.complete(fixture.start(["login"])).expect(0, "token_cache.json.damaged-")
    func files() -> [String] { fixture.home.files(below: "state/msauth") }
    func refreshTokens() -> Int {
      files().count { fixture.home.read("state/msauth/\($0)")?.contains("demo-rt-") == true }
    }
    #expect(refreshTokens() == 2)
    try await fixture.run("logout", "--all").expect(0)
    #expect(refreshTokens() == 1, "a plain sign-out keeps a cache that was set aside")
    try await fixture.run("logout", "--all", "--wipe").expect(0)
    #expect(refreshTokens() == 0 && files() == ["token_cache.json"], "\(files())")
  }
}
