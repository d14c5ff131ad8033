import DemoProvider
import TestSupport
import Testing

@Suite("unusable stores", .limitedConcurrency)
struct UnusableStoreTests {
  /// A defect of a cache file that was valid.
  enum Defect: String, CaseIterable {
    case symbolicLink, fifo, directoryOpenToAll
    case truncated, tooLarge

    /// Whether a sign-in may start a new cache: the content is invalid, but the file is safe.
    var isDamage: Bool { [.truncated, .tooLarge].contains(self) }
    /// The beginning of what to do.
    var hint: String {
      switch self {
      case .symbolicLink: "replace the symbolic link "
      case .fifo: "check that the token store can be read and written"
      case .directoryOpenToAll: "chmod go-w "
      case .truncated, .tooLarge: "run msauth login "
      }
    }
    /// The file or directory with the defect; a directory's matters only to writers.
    var path: String { self == .directoryOpenToAll ? "state/msauth" : DemoProviderFixture.cacheFile }

    func cause(_ fixture: DemoProviderFixture) throws {
      let (home, file) = (fixture.home, fixture.home.path(DemoProviderFixture.cacheFile))
      switch self {
      case .symbolicLink:
        try FileManager.default.moveItem(atPath: file, toPath: home.path("elsewhere"))
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: home.path("elsewhere"))
      case .fifo:
        try FileManager.default.removeItem(atPath: file)
        guard mkfifo(file, 0o600) == 0 else { throw TestFailure("no FIFO") }
      case .directoryOpenToAll: chmod(home.path(path), 0o777)
      case .truncated: try home.write(String((home.read(path) ?? "").dropLast(40)), to: path)
      case .tooLarge: guard truncate(file, (64 << 20) + 1) == 0 else { throw TestFailure("no space") }
      }
    }
  }

  @Test(
    "a command that needs the store exits 6 with the path and what to do, as doctor does, and changes nothing",
    arguments: Defect.allCases
  )
  func refused(defect: Defect) async throws {
    let fixture = try await DemoProviderFixture()
    try await fixture.signIn()
    try defect.cause(fixture)
    await fixture.provider.forgetRecord()
    let before = fixture.home.files(below: ".").filter { !$0.hasPrefix("cache/") }
    func content() -> String? {
      // Reading a FIFO would block.
      defect == .fifo ? nil : fixture.home.read(DemoProviderFixture.cacheFile)
    }
    let (path, old) = (fixture.home.path(defect.path), content())
    // Reading needs only the file.
    let reading = defect == .directoryOpenToAll ? [] : [["token"], ["accounts"], ["status"]]
    for command in reading + [["token", "--force-refresh"]] {
      let outcome = try await fixture.run(command)
      #expect(outcome.code == 6 && outcome.stdout.isEmpty, "\(outcome)")
      #expect(outcome.stderr.contains(path), "\(outcome)")
      #expect(outcome.stderr.contains("hint: \(defect.hint)"), "\(outcome)")
    }
    let doctor = try await fixture.run("doctor", "--json")
    let store = try doctor.json["checks"]?.array?.first { $0["name"] == "store" }
    #expect(doctor.code == 1 && store?["status"] == "failed", "\(doctor)")
    #expect(store?["message"]?.string?.contains(path) == true, "\(doctor)")
    #expect(store?["hint"]?.string?.hasPrefix(defect.hint) == true, "\(doctor)")
    #expect(await fixture.grants().isEmpty)
    #expect(fixture.home.files(below: ".").filter { !$0.hasPrefix("cache/") } == before && content() == old)
  }

  @Test(
    "a sign-in sets a damaged cache aside, reports it, and starts a new one",
    arguments: Defect.allCases.filter(\.isDamage)
  )
  func setAside(defect: Defect) async throws {
    let fixture = try await DemoProviderFixture()
    try await fixture.signIn()
    try defect.cause(fixture)
    let damaged = fixture.home.read(DemoProviderFixture.cacheFile)

    let outcome = try await fixture.complete(fixture.start(["login"]))
    #expect(outcome.code == 0 && outcome.stdout == "ada@contoso.example\n", "\(outcome)")
    let aside = fixture.home.files(below: "state/msauth").filter { $0.hasPrefix("token_cache.json.damaged-") }
    try #require(aside.count == 1)
    #expect(fixture.home.read("state/msauth/\(aside[0])") == damaged)
    #expect(outcome.stderr.contains(aside[0]) && outcome.stderr.contains("damaged"), "\(outcome.stderr)")
    #expect(try await fixture.run("token").code == 0)
  }

  @Test(
    "a sign-in leaves an untrusted cache unchanged, before a browser opens",
    arguments: Defect.allCases.filter { !$0.isDamage }
  )
  func leftAlone(defect: Defect) async throws {
    let fixture = try await DemoProviderFixture()
    try await fixture.signIn()
    try defect.cause(fixture)
    await fixture.provider.forgetRecord()
    let before = fixture.home.files(below: ".").filter { !$0.hasPrefix("cache/") }
    // With an explicit prompt, a sign-in doesn't read who signed out.
    for prompt in [[], ["--prompt", "login"]] {
      let outcome = try await fixture.run(["login", "--no-browser"] + prompt)
      #expect(outcome.code == 6 && !outcome.stderr.contains("state="), "\(outcome)")
    }
    #expect(fixture.home.files(below: ".").filter { !$0.hasPrefix("cache/") } == before)
  }

  @Test("a number that Python writes and JSON doesn't allow is kept")
  func notANumber() async throws {
    let fixture = try await DemoProviderFixture()
    try await fixture.signIn()
    let cache = try #require(fixture.home.read(DemoProviderFixture.cacheFile))
    try fixture.home.write(
      #"{"Foreign": {"ratio": NaN, "limit": -Infinity},"# + cache.dropFirst(),
      to: DemoProviderFixture.cacheFile
    )
    #expect(try await fixture.run("token", "--force-refresh").code == 0)
    let after = try #require(fixture.home.read(DemoProviderFixture.cacheFile))
    #expect(after.contains(#""ratio": NaN"#) && after.contains(#""limit": -Infinity"#), "\(after.prefix(200))")
  }

  @Test("a cache that another program is rewriting in place is waited for")
  func rewrittenInPlace() async throws {
    let fixture = try await DemoProviderFixture()
    try await fixture.signIn()
    let token = try await fixture.run("token").stdout
    // Writes as MSAL Python does: under the lock, with an empty file in between, here for longer.
    let script = #"""
      set -C; printf '%s sh' $$ > "$1.lockfile"; set +C; cache=$(cat "$1"); : > "$1"; echo empty; sleep 1
      printf %s "$cache" > "$1"; rm "$1.lockfile"
      """#
    let writer = try ChildProcess(["/bin/sh", "-c", script, "sh", fixture.home.path(DemoProviderFixture.cacheFile)])
    #expect(try await writer.firstLine() == "empty")
    let outcome = try await fixture.run("token")
    #expect(outcome.code == 0 && outcome.stdout == token, "\(outcome)")
    #expect(try await writer.end() == .exited(0))
  }

  @Test("logout --all --wipe leaves no token, not even in a cache that was set aside")
  func wipesSetAside() async throws {
    let fixture = try await DemoProviderFixture()
    try await fixture.signIn()
    try Defect.truncated.cause(fixture)
    try await fixture.signIn()
    func files() -> [String] { fixture.home.files(below: "state/msauth") }
    func refreshTokens() -> Int {
      files().count { fixture.home.read("state/msauth/\($0)")?.contains("demo-rt-") == true }
    }
    #expect(refreshTokens() == 2)
    #expect(try await fixture.run("logout", "--all").code == 0)
    #expect(refreshTokens() == 1, "a plain sign-out keeps a cache that was set aside")
    let outcome = try await fixture.run("logout", "--all", "--wipe")
    #expect(outcome.code == 0, "\(outcome)")
    #expect(refreshTokens() == 0 && files() == ["token_cache.json"], "\(files())")
  }
}
