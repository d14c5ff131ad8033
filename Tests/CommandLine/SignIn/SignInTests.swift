import TestSupport
import Testing

@Suite("sign in, use and sign out with a third-party provider", .limitedConcurrency)
struct SignInTests {
  @Test("login, token, status, accounts and logout work in sequence")
  func signInAndOut() async throws {
    let fixture = try await ProviderMockFixture()

    try await fixture.run("status").expect(2, stdout: "Signed out\n", stderr: "")
    try await fixture.run("token").expect(2)

    let login = try await fixture.signIn()
    #expect(login.stdout == ProviderMock.username + "\n", "\(login)")
    let codes = fixture.provider.proxy.values(of: "code").union(fixture.provider.proxy.values(of: "code_verifier"))
    let files = fixture.home.files(below: ".")
    #expect(codes.count >= 2 && files.contains { $0.hasSuffix("token_cache.json") })
    for file in files {
      let text = try #require(fixture.home.read(file))
      #expect(!codes.contains(where: text.contains), "the code or its verifier is in \(file)")
    }

    // A cached token needs no request.
    let transcript = fixture.provider.proxy.transcript
    let token = try await fixture.run("token")
    #expect(token.code == 0 && fixture.provider.proxy.transcript == transcript, "\(token)")
    let lines = token.stdout.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 2 && lines.last == "", "\(token)")
    let userinfo = try await fixture.provider.userinfo(String(lines[0]))
    #expect(userinfo.status == 200)
    #expect(try JSONValue(parsing: userinfo.body.utf8)["sub"]?.string == ProviderMock.subject)

    try await fixture.run("status").expect(0, stdout: ProviderMock.username + "\n")
    try await fixture.run("accounts").expect(0, stdout: ProviderMock.username + "\n")

    try await fixture.run("logout").expect(0)
    #expect(try await fixture.run("status").stdout == "Signed out\n")
    let none = try await fixture.run("accounts")
    #expect(none.stdout.isEmpty && none.stderr.contains("no account is signed in\n"), "\(none)")
    try await fixture.run("token").expect(2, "msauth login", stdout: "")
  }

  @Test("login --account rejects another account with the same username")
  func sameUsername() async throws {
    let claims = ["b1", "b2"].flatMap { ["--user-claims", #"{"sub":"\#($0)","preferred_username":"bob"}"#] }
    let fixture = try await ProviderMockFixture(claims)
    try await fixture.signIn(as: "b1")
    for (subject, code) in [("b1", 0), ("b2", 2)] as [(String, Int32)] {
      let login = try await fixture.startLogin("--account", "bob")
      try await fixture.complete(login, as: subject).expect(code, stdout: code == 0 ? "bob\n" : "")
    }
  }

  @Test("accounts --all names the client, the authority and the profiles of each account")
  func everyAccount() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    try fixture.home.write(
      """
      {"client_id": "other", "store": "file", "profile": "mine", "profiles": {"mine": {"client_id": "fixture",
       "authority": "\(fixture.provider.authority)"}, "broken": {"client_id": "none"}}}
      """,
      to: "config/msauth/config.json"
    )
    // The variable belongs to no profile.
    let runner = CommandRunner(home: fixture.home, environment: ["MSAUTH_CLIENT_ID": "fixture"])
    let outcome = try await runner.run("accounts", "--all", "--json")
    let account = try #require(try outcome.json["accounts"]?.array?.first, "\(outcome)")
    #expect(account["username"]?.string == ProviderMock.username && account["client_id"] == "fixture", "\(outcome)")
    #expect(account["authority"]?.string == fixture.provider.authority && account["profiles"] == ["mine"], "\(outcome)")
    #expect(try await fixture.runner.run("status", "--json").json["store"] == account["store"], "\(outcome)")
    try await runner.run("accounts", "--all", "--client-id", "fixture").expect(64)
    #expect(try outcome.json["servers"] == [], "\(outcome)")
    let lines = try await fixture.runner.run("accounts", "--all")
    let line = [ProviderMock.username, "fixture", fixture.provider.authority, "mine"].joined(separator: "\t")
    #expect(lines.code == 0 && lines.stdout == line + "\n", "\(lines)")
    #expect(try await fixture.runner.run("status", "--json").json["profile"] == "mine")

    /// The rows of the table on a terminal.
    func table(columns: Int) async throws -> [String] {
      let command = ["-c", #"stty cols \#(columns); exec "$0" accounts --all"#, try BuiltProducts.msauth]
      let child = try fixture.runner.startOnTerminal(command, of: "/bin/sh")
      return try await fixture.runner.outcome(of: child).stdout.split(whereSeparator: \.isNewline).map(String.init)
    }
    let wide = try await table(columns: 120)
    #expect(wide.count == 2 && wide[0].contains(/^ {2}ACCOUNT +CLIENT ID +AUTHORITY +PROFILE$/), "\(wide)")
    #expect(wide.allSatisfy { $0.count == wide[0].count } && !wide[1].contains("…"), "\(wide)")
    #expect(wide.last?.hasPrefix("* \(ProviderMock.username) ") == true && account["current"] == true, "\(wide)")
    let narrow = try await table(columns: 50)
    #expect(narrow.allSatisfy { $0.count < 50 } && narrow.last?.contains("…") == true, "\(narrow)")
    try fixture.home.write(#"{"store": "file"}"#, to: "config/msauth/config.json")
    let unnamed = try await table(columns: 120)
    #expect(unnamed.count == 2 && unnamed[0].contains(/^ {2}ACCOUNT +CLIENT ID +AUTHORITY +$/), "\(unnamed)")
    let clientID = "00001111-aaaa-2222-bbbb-3333cccc4444"
    let cache = try #require(fixture.home.read(ProviderMockFixture.cacheFile))
    try fixture.home.write(cache.replacing("fixture", with: clientID), to: ProviderMockFixture.cacheFile)
    let copied = try await table(columns: 50)
    #expect(copied.last?.contains(" \(clientID) ") == true && copied.last?.contains("…") == true, "\(copied)")
  }

  @Test("the store is chosen automatically, and a missing keyring is reported once")
  func automaticStore() async throws {
    var fixture = try await ProviderMockFixture()
    fixture.store = nil
    // An unfinished sign-in stores nothing, so the store isn't reported.
    try await fixture.run("login", "--timeout", "0.3").expect(4, lacks: "which only you can read")
    for isFirst in [true, false] {
      let login = try await fixture.signIn()
      #expect(login.stdout == ProviderMock.username + "\n", "\(login)")
      #expect(login.stderr.contains("which only you can read") == isFirst, "\(login)")
    }
    #expect(fixture.home.read(ProviderMockFixture.cacheFile) != nil, "\(fixture.home.files(below: "state"))")

    try await fixture.run("token").expect(0, stderr: "")
  }
}
