@testable import DemoProvider
import TestSupport
import Testing

@Suite("one cache file shared with PyPI's msal", .limitedConcurrencyFirst)
struct MSALPythonTests {
  /// Python's rounds; msauth writes as often as it can.
  static let rounds = 50

  private func fixture(inKeyring: Bool = false) async throws -> DemoProviderFixture {
    let fixture = try await DemoProviderFixture(DemoOptions(rotates: true), inKeyring: inKeyring)
    // MSAL Python creates the file, but not its directories.
    try FileManager.default.createDirectory(
      atPath: fixture.home.path("state/msauth"),
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    return fixture
  }

  private func token(_ fixture: DemoProviderFixture, _ arguments: [String] = []) async throws -> String {
    let outcome = try await fixture.run(["token"] + arguments)
    guard outcome.code == 0 else { throw TestFailure("msauth token \(arguments): \(outcome)") }
    return String(outcome.stdout.dropLast())
  }

  @Test(
    "Python lists, prints offline, refreshes and signs out the accounts that msauth stored, in a file or the keyring",
    arguments: [false, true]
  )
  func fromMSAuth(inKeyring: Bool) async throws {
    let fixture = try await fixture(inKeyring: inKeyring)
    let python = try MSALPython(fixture: fixture, clientID: fixture.provider.clientID, tenant: Tenant.contoso.id)
    try await fixture.signIn()
    let first = try await token(fixture)
    #expect(try await python.run("list")["accounts"] == [.string(ada)])
    #expect(try await python.run("token") == ["token": .string(first), "requests": 0])

    let second = try await python.run("refresh")["token"]?.string
    #expect(second != first)
    await fixture.provider.forgetRecord()
    #expect(try await token(fixture) == second)
    #expect(await fixture.provider.record.isEmpty)

    let third = try await token(fixture, ["--force-refresh"])
    #expect(try await python.run("token") == ["token": .string(third), "requests": 0])

    #expect(try await python.run("sign-out")["accounts"] == [])
    #expect(try await fixture.run("accounts").stdout.isEmpty)
    try await fixture.run("token").expect(2)
    if !inKeyring { #expect(try fixture.secrets("RefreshToken").isEmpty) }
    #expect((fixture.home.read(Home.cacheFile) == nil) == inKeyring)
  }

  @Test(
    "msauth lists, prints offline, refreshes and signs out the accounts that Python stored",
    arguments: [Tenant.bletchley.id, "common", "organizations"]
  )
  func fromPython(tenant: String) async throws {
    let fixture = try await fixture()
    let python = try MSALPython(fixture: fixture, clientID: fixture.provider.clientID, tenant: tenant)
    let first = try #require(try await python.signIn("alan")["token"]?.string)
    await fixture.provider.forgetRecord()
    #expect(try await fixture.run("accounts").stdout == alan + "\n")
    if tenant != "organizations" {
      // msauth's authority is `common`: it reads entries of `common` and of the home tenant.
      #expect(try await token(fixture) == first)
      #expect(await fixture.provider.record.isEmpty)
    }
    #expect(try await token(fixture, ["--force-refresh"]) != first)
    #expect(try await python.run("list")["accounts"] == [.string(alan)])
    #expect(try await python.run("refresh")["requests"] == 1)
    try await fixture.run("token", "--force-refresh").expect(0)

    try await fixture.run("logout").expect(0)
    #expect(try await python.run("list")["accounts"] == [])
    #expect(try fixture.secrets("RefreshToken").isEmpty && fixture.secrets("AccessToken").isEmpty)
  }

  @Test("with AD FS and a plain provider, each prints offline what the other stored", arguments: ["adfs", "oidc"])
  func otherKinds(path: String) async throws {
    let fixture = try await fixture()
    let python = try MSALPython(fixture: fixture, clientID: fixture.provider.clientID, tenant: path)
    let options = ["--authority", "\(fixture.provider.baseURL)/\(path)", "--authority-type", path]
    func token(_ arguments: String...) async throws -> String {
      try await self.token(fixture, ["--scope", "User.Read"] + options + arguments)
    }
    let login = try fixture.start(["login", "--no-browser", "--scope", "User.Read"] + options)
    try await fixture.complete(login).expect(0)

    let first = try await token()
    #expect(try await python.run("token") == ["token": .string(first), "requests": 0])
    // Entra on the same host has no account.
    #expect(try await fixture.run("accounts").stdout.isEmpty)
    if path == "adfs" {
      // The demo's AD FS rejects offline_access, which MSAL Python always requests.
      #expect(try await python.run("sign-out")["accounts"] == [])
      #expect(try await fixture.run(["accounts"] + options).stdout.isEmpty)
      return
    }
    let second = try await python.run("refresh")["token"]?.string
    #expect(second != first)
    await fixture.provider.forgetRecord()
    #expect(try await token() == second)
    #expect(await fixture.grants().isEmpty)
    let third = try await token("--force-refresh")
    #expect(try await python.run("token") == ["token": .string(third), "requests": 0])
  }

  @Test("50 rounds of concurrent writes lose no entry, and no read fails")
  func bothWriting() async throws {
    let fixture = try await fixture()
    let other = fixture.provider.otherClientID
    let python = try MSALPython(fixture: fixture, clientID: other, tenant: Tenant.bletchley.id)
    try await fixture.signIn("ada")
    _ = try await python.signIn("alan")

    let writer = try python.start(["rounds", "\(Self.rounds)"])
    var rounds = 0
    var tokens: Set<String> = []
    // Refresh tokens are single-use: a lost write makes its owner's next refresh fail.
    while writer.ending == nil || rounds < Self.rounds / 2 {
      let duration = try await ContinuousClock().measure {
        tokens.insert(try await token(fixture, ["--force-refresh"]))
      }
      rounds += 1
      // MSAL Python polls the lock every 0.25 s, for 5 s: it must be free about half of the time, on a busy machine too.
      try await Task.sleep(for: max(.milliseconds(60), duration))
    }
    #expect(try await writer.end() == .exited(0), "\(writer.stderr)")
    #expect(tokens.count == rounds)
    #expect(try await python.run("list")["accounts"]?.array?.contains(.string(alan)) == true)
    #expect(try await python.run("refresh")["requests"] == 1)
    try await fixture.run("token", "--force-refresh").expect(0)
    #expect(try await fixture.run("accounts").stdout == ada + "\n")
    #expect(fixture.home.files(below: "state/msauth") == ["token_cache.json"])
  }
}

/// PyPI's `msal` and `msal-extensions` on a fixture's cache file.
struct MSALPython: Sendable {
  let fixture: DemoProviderFixture
  private let command: [String]
  private let environment: [String: String]
  /// Runs the commands that end at once.
  private let server: ChildProcess

  /// With an authority of this tenant.
  init(fixture: DemoProviderFixture, clientID: String, tenant: String) throws {
    self.fixture = fixture
    var environment = fixture.home.environment
    var (python, cache) = (try BuiltProducts.python(), Home.cacheFile)
    if let keyring = fixture.keyring {
      // Only Debian's Python has GObject's bindings; msal is in the tests' environment.
      environment.merge(keyring.environment) { $1 }
      environment["PYTHONPATH"] = try BuiltProducts.pythonPackages()
      (python, cache) = ("/usr/bin/python3", DemoProviderFixture.signalFile)
    }
    let script = try pythonScript("msal_client")
    command = [python, script, fixture.provider.baseURL, fixture.home.path(cache), clientID, tenant]
    self.environment = environment
    server = try ChildProcess(command, environment: environment, holdsInput: true)
  }

  func run(_ words: String...) async throws -> JSONValue {
    let before = server.stdout.count { $0 == "\n" }
    try server.write(words.joined(separator: " ") + "\n")
    return try await eventually("msal \(words)") {
      if server.ending != nil { throw TestFailure("msal \(words): \(server.stdout)\n\(server.stderr)") }
      let lines = server.stdout.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      return lines.count > before ? try JSONValue(parsing: lines[before].utf8) : nil
    }
  }

  func start(_ arguments: [String]) throws -> ChildProcess {
    try ChildProcess(command + arguments, environment: environment)
  }

  func signIn(_ user: String) async throws -> JSONValue {
    let child = try start(["sign-in"])
    let device = try JSONValue(parsing: try await child.firstLine().utf8)
    guard let address = device["address"]?.string, let code = device["code"]?.string else {
      throw TestFailure("msal sign-in: \(device)")
    }
    _ = try await ScriptedBrowser().walk(from: address, as: user, userCode: code)
    guard try await child.end() == .exited(0), let line = child.stdout.split(separator: "\n").last else {
      throw TestFailure("msal: \(child.stdout)\n\(child.stderr)")
    }
    return try JSONValue(parsing: line.utf8)
  }
}
