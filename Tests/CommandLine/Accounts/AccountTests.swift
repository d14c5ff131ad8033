@testable import DemoProvider
import MSAuthCore
import MSAuthCrypto
import TestSupport
import Testing

@Suite("several accounts and applications in one store", .limitedConcurrency)
struct AccountTests {
  @Test("among accounts that another library signed in, none is current: exit 7 with the list")
  func ambiguous() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada", "alan")
    try fixture.remove("msauth")
    for command in ["token", "status", "logout", "switch"] {
      let outcome = try await fixture.run(command).expect(7, stdout: "")
      for id in ["ada", "alan"] {
        let known = try #require(DemoUser.named(id))
        let line = "account \(known.username) (\(known.homeAccountID))"
        #expect(outcome.stderr.contains(line), "\(command): \(outcome)")
      }
      #expect(outcome.stderr.contains("hint: "), "\(command): \(outcome)")
      #expect(try await fixture.run("accounts").stdout == "\(ada)\n\(alan)\n", "\(command)")
    }
  }

  @Test("on a terminal, accounts with the same username are shown with their IDs")
  func sameUsername() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada", "alan", "grace")
    let cache = try #require(fixture.home.read(Home.cacheFile))
    try fixture.home.write(cache.replacing(alan, with: ada), to: Home.cacheFile)
    let outcome = try await fixture.runOnTerminal("accounts").expect(0)
    let lines = outcome.stdout.split(whereSeparator: \.isNewline)
    #expect(lines.contains { $0.contains(/grace@\S+ +\S+$/) }, "\(outcome)")
    for id in ["ada", "alan"] {
      let known = try #require(DemoUser.named(id))
      #expect(outcome.stdout.contains(" \(ada)") && outcome.stdout.contains(known.homeAccountID), "\(outcome)")
    }
  }

  @Test("in single account mode, another user can sign in only after a sign-out")
  func singleAccount() async throws {
    let fixture = try await DemoProviderFixture()
    try fixture.home.write(#"{"account_mode": "SINGLE"}"#, to: "config/msauth/config.json")
    try await fixture.signIn("ada")
    await fixture.provider.forgetRecord()

    // By name before a page opens, otherwise after the sign-in.
    try await fixture.run("login", "--no-browser", "--login-hint", alan)
      .expect(1, "allows only one account", "hint: sign that account out first")
    #expect(await fixture.provider.record.isEmpty)
    await #expect(throws: TestFailure.self) { try await fixture.signIn("alan", "--prompt", "select_account") }
    #expect(try await fixture.run("accounts").stdout == "\(ada)\n")

    // The same user can sign in again.
    try await fixture.signIn("ada")
    try await fixture.run("logout").expect(0)
    try await fixture.signIn("alan")
    #expect(try await fixture.run("status").stdout == "\(alan)\n")
  }

  @Test("signing out of one Microsoft family application keeps the others signed in")
  func family() async throws {
    let fixture = try await DemoProviderFixture(DemoOptions(isFamily: true), signedIn: "ada")
    let other = fixture.provider.otherClientID
    try await fixture.signIn("ada", client: other)
    // One refresh token for both, issued to the second one.
    #expect(try fixture.secrets("RefreshToken").count == 1)
    try await fixture.run("token", "--force-refresh").expect(0)

    for (leaving, staying) in [(other, nil), (nil, other)] as [(String?, String?)] {
      try await fixture.run("logout", client: leaving).expect(0)
      try await fixture.run("token", "--force-refresh", client: staying).expect(0)
      #expect(try await fixture.run("accounts", client: staying).stdout == ada + "\n")
      await fixture.provider.forgetRecord()
      for command in [["token"], ["token", "--force-refresh"], ["token", "--account", ada]] {
        try await fixture.run(command, client: leaving).expect(2, stdout: "")
      }
      #expect(try await fixture.run("accounts", client: leaving).stdout.isEmpty)
      #expect(await fixture.grants().isEmpty)
      try await fixture.signIn("ada", client: leaving)
    }
    try await fixture.run("logout", "--wipe").expect(0)
    #expect(try fixture.secrets("RefreshToken").isEmpty)
    try await fixture.run("token", client: other).expect(2)
  }

  @Test("--all removes tokens that no account lists, and reports that")
  func signOutAllUnlisted() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada")
    var cache = try #require(fixture.home.json(Home.cacheFile).object)
    for kind in ["Account", "AccessToken", "IdToken", "AppMetadata"] { cache[kind] = nil }
    try fixture.home.write(JSONValue.object(cache).serializedString(), to: Home.cacheFile, mode: 0o600)
    try await fixture.run("logout", "--all")
      .expect(0, stderr: "msauth: not signed in; removed what was left of earlier sign-ins\n")
    #expect(try fixture.secrets("RefreshToken").isEmpty)
  }

  @Test("an interrupted --all removes every account or none")
  func signOutAllInterrupted() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada", "alan")
    let lock = try fixture.home.write("", to: Home.cacheFile + ".lockfile", mode: 0o600)
    // Holds the lock like another library.
    let holder = try ChildProcess(["flock", lock, "-c", "echo held; cat"], holdsInput: true)
    _ = try await holder.firstLine()
    let waiting = try fixture.start(["logout", "--all", "-vv"])
    try await eventually("the sign-out") { waiting.stderr.contains("sign-out started") }
    waiting.signal(SIGINT)
    try await fixture.runner.outcome(of: waiting).expect(130)
    holder.killGroup()
    try FileManager.default.removeItem(atPath: lock)
    #expect(try await fixture.run("accounts").stdout == "\(ada)\n\(alan)\n")

    let child = try fixture.start(["logout", "--all", "--from-browser", "--no-browser", "--timeout", "600"])
    _ = try await child.printedURL()
    child.signal(SIGINT)
    try await fixture.runner.outcome(of: child).expect(130)
    #expect(try await fixture.run("accounts").stdout.isEmpty)
  }

  @Test("with other accounts signed in, only a login as the signed-out user prompts for credentials")
  func credentialsOfOne() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada", "alan")
    try await fixture.run("logout", "--account", ada).expect(0)
    await fixture.provider.forgetRecord()
    try await fixture.signIn("alan", "--login-hint", alan)
    try await fixture.signIn("ada", "--login-hint", ada)
    #expect(await fixture.provider.prompts == [nil, "login"])
    // An explicit prompt takes precedence.
    try await fixture.run("logout", "--account", ada).expect(0)
    await fixture.provider.forgetRecord()
    try await fixture.signIn("ada", "--login-hint", ada, "--prompt", "select_account")
    #expect(await fixture.provider.prompts == ["select_account"])
  }

  @Test("sign-out keeps another application's tokens; --wipe removes them, which its status reports until a sign-in")
  func twoApplications() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada")
    let other = fixture.provider.otherClientID
    try await fixture.signIn(client: other)
    let token = try await fixture.run("token", client: other).stdout
    #expect(try await fixture.run("token").stdout != token)

    try await fixture.run("logout").expect(0)
    #expect(try await fixture.run("status").stdout == "Signed out\n")
    #expect(try await fixture.run("token", client: other).stdout == token)

    try await fixture.signIn()
    #expect(try await fixture.run("status", client: other).stderr.isEmpty)
    try await fixture.run("logout", "--wipe").expect(0)
    try await fixture.run("token", client: other).expect(2)
    #expect(try fixture.secrets("RefreshToken").isEmpty && fixture.secrets("IdToken").isEmpty)
    #expect(try fixture.cache()["Account"]?.object?.isEmpty == true)

    // The application that signed out has no notice.
    #expect(try await fixture.run("status").stderr.isEmpty)
    let cache = try fixture.cache()
    // It never writes.
    var readOnly = fixture
    readOnly.runner.prefix = try await Shortage.readOnly.command(fixture.home.path("state/msauth"))
    for session in [fixture, readOnly] {
      try await session.run("status", client: other)
        .expect(2, stdout: "Signed out\n", stderr: "msauth: \(ada) was signed out by another application\n")
    }
    func json() async throws -> JSONValue {
      try await fixture.run("status", "--json", client: other).json
    }
    #expect(try await json()["previous_account"]?["username"]?.string == ada)
    #expect(try fixture.cache() == cache)
    try await fixture.signIn("alan", client: other)
    #expect(try await json()["account"]?["username"]?.string == alan)
    #expect(try await json()["previous_account"] == nil)
    let status = try await fixture.run("status", client: other)
    #expect(status.stdout == "\(alan)\n" && status.stderr.isEmpty, "\(status)")
  }

  @Test(
    "--all signs out the accounts of every application, with or without a client ID",
    arguments: [(["--all"], true), (["--all", "--wipe"], false)]
  )
  func everyApplication(flags: [String], hasClientID: Bool) async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada")
    let other = fixture.provider.otherClientID
    try await fixture.signIn("alan", client: other)
    try await fixture.signIn("ada", client: other, "--prompt", "select_account")
    let logout = ["logout"] + flags
    let outcome = try await hasClientID ? fixture.run(logout) : fixture.runner.run(logout + ["--store", "file"])
    #expect(outcome.code == 0 && outcome.stderr.contains("removed the tokens of \(alan)"), "\(outcome)")
    for client in [nil, other] {
      #expect(try await fixture.run("accounts", client: client).stdout.isEmpty)
      try await fixture.run("token", client: client).expect(2)
    }
    #expect(try fixture.secrets("RefreshToken").isEmpty && fixture.secrets("IdToken").isEmpty)
    #expect(try await fixture.run("status", client: other).stderr.isEmpty, "not another application's sign-out")
    #expect(try await fixture.run("logout", "--all").stderr == "msauth: not signed in\n")
  }

  @Test("without a client ID, accounts and status show every application's accounts")
  func withoutClientID() async throws {
    let fixture = try await DemoProviderFixture()
    try await fixture.runner.run("accounts").expect(0)
    #expect(try await fixture.runner.run("status").stdout == "Signed out\n")
    try await fixture.signIn("alan", client: fixture.provider.otherClientID)
    try await fixture.signIn("ada")
    #expect(try await fixture.runner.run("accounts").stdout == "\(ada)\n\(alan)\n")
    let accounts = try await fixture.runner.run("accounts", "--json").json["accounts"]?.array
    #expect(accounts?.map { $0["current"]?.bool } == [true, false])
    #expect(try await fixture.runner.run("status").stdout == "\(ada)\n")
    #expect(try await fixture.runner.run("status", "--account", alan).stdout == "\(alan)\n")
    try await fixture.runner.run("logout").expect(78)
  }

  @Test("a login with --cache-file is stored in that file alone, and --all reaches the stores of groups")
  func groups() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada")
    let group = fixture.home.path("state/msauth/groups/com.example.app/token_cache.json")
    try await fixture.signIn("alan", "--cache-file", group)
    #expect(try await fixture.run("accounts").stdout == "\(ada)\n")
    try await fixture.runner.run("logout", "--all", "--store", "file").expect(0)
    #expect(try await fixture.runner.run("accounts", "--cache-file", group).stdout == "\(alan)\n")
    try await fixture.runner.run("logout", "--all").expect(0, "removed the tokens of \(alan)")
    #expect(try await fixture.runner.run("accounts", "--cache-file", group).stdout.isEmpty)
  }

  @Test("logout takes a name, and lists the accounts if none has it")
  func named() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada", "alan")
    try await fixture.run("logout", "alna")
      .expect(2, "hint: name one that is signed in: \(ada), \(alan)", lacks: "login")
    #expect(try await fixture.run("logout", "all").stderr.contains("hint: use --all to sign out every account\n"))
    try await fixture.run("logout", ada).expect(0)
    #expect(try await fixture.run("accounts").stdout == "\(alan)\n")
  }

  /// A session of a profile's client.
  private static func signedInWithProfile() async throws -> ProviderMockFixture {
    let fixture = try await ProviderMockFixture.signedIn()
    try fixture.home.write(
      """
      {"client_id": "other", "store": "file", "profile": "mine", "profiles": {"mine": {"client_id": "fixture",
       "authority": "\(fixture.provider.authority)"}, "broken": {"client_id": "none"}}}
      """,
      to: "config/msauth/config.json"
    )
    return fixture
  }

  @Test("accounts --all names the client, the authority and the profiles of each account")
  func everyAccount() async throws {
    let fixture = try await Self.signedInWithProfile()
    // The variable belongs to no profile.
    let runner = CommandRunner(home: fixture.home, environment: ["MSAUTH_CLIENT_ID": "fixture"])
    let outcome = try await runner.run("accounts", "--all", "--json")
    let account = try #require(try outcome.json["accounts"]?.array?.first, "\(outcome)")
    #expect(account["username"]?.string == ProviderMock.username && account["client_id"] == "fixture", "\(outcome)")
    #expect(account["authority"]?.string == fixture.provider.authority && account["profiles"] == ["mine"], "\(outcome)")
    #expect(account["current"] == true, "\(outcome)")
    #expect(try await fixture.runner.run("status", "--json").json["store"] == account["store"], "\(outcome)")
    try await runner.run("accounts", "--all", "--client-id", "fixture").expect(64)
    #expect(try outcome.json["servers"] == [], "\(outcome)")
    let lines = try await fixture.runner.run("accounts", "--all")
    let line = [ProviderMock.username, "fixture", fixture.provider.authority, "mine"].joined(separator: "\t")
    #expect(lines.code == 0 && lines.stdout == line + "\n", "\(lines)")
    #expect(try await fixture.runner.run("status", "--json").json["profile"] == "mine")
  }

  @Test("on a terminal, accounts --all prints a table that fits the terminal, without the columns that are empty")
  func table() async throws {
    let fixture = try await Self.signedInWithProfile()
    /// The rows of the table.
    func table(columns: Int) async throws -> [String] {
      let outcome = try await fixture.runner.runOnTerminal("accounts", "--all", columns: columns)
      return outcome.stdout.split(whereSeparator: \.isNewline).map(String.init)
    }
    let wide = try await table(columns: 120)
    #expect(wide.count == 2 && wide[0].contains(/^ {2}ACCOUNT +CLIENT ID +AUTHORITY +PROFILE$/), "\(wide)")
    // The columns are aligned.
    #expect(wide[1].dropFirst(wide[0].count - "PROFILE".count) == "mine" && !wide[1].contains("…"), "\(wide)")
    #expect(wide.last?.hasPrefix("* \(ProviderMock.username) ") == true, "\(wide)")
    let narrow = try await table(columns: 50)
    #expect(narrow.allSatisfy { $0.count < 50 } && narrow.last?.contains("…") == true, "\(narrow)")
    try fixture.home.write(#"{"store": "file"}"#, to: "config/msauth/config.json")
    let unnamed = try await table(columns: 120)
    #expect(unnamed.count == 2 && unnamed[0].contains(/^ {2}ACCOUNT +CLIENT ID +AUTHORITY$/), "\(unnamed)")
    let clientID = "00001111-aaaa-2222-bbbb-3333cccc4444"
    let cache = try #require(fixture.home.read(Home.cacheFile))
    try fixture.home.write(cache.replacing("fixture", with: clientID), to: Home.cacheFile)
    let copied = try await table(columns: 50)
    #expect(copied.last?.contains(" \(clientID) ") == true && copied.last?.contains("…") == true, "\(copied)")
  }
}
