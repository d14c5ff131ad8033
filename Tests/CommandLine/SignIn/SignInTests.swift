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
    #expect(fixture.home.read(Home.cacheFile) != nil, "\(fixture.home.files(below: "state"))")

    try await fixture.run("token").expect(0, stderr: "")
  }

  @Test("command-line options appear in the authorization request")
  func requestParameters() async throws {
    let provider = try ScriptedProvider.start()
    let runner = try CommandRunner()
    let port = try freePort()
    let login = try await PendingLogin(
      runner.start([
        "login", "--no-browser", "--client-id", "c", "--authority", provider.url, "--store", "file",
        "--scope", "openid", "--scope", "calendar.read", "--extra-scope", "mail.read", "--prompt", "login",
        "--login-hint", "anna@example.org", "--domain-hint", "example.org", "--claims", #"{"id_token":{}}"#,
        "--extra-query", "dc=ESTS&x", "--redirect-uri", "http://127.0.0.1:\(port)/back", "--response-mode", "query",
      ])
    )
    defer { login.child.killGroup() }
    let sent = login.parameters
    #expect((sent["state"] ?? "").count >= 22)
    let scopes = Set((sent["scope"] ?? "").split(separator: " "))
    #expect(scopes.isSuperset(of: ["openid", "profile", "calendar.read", "mail.read"]), "\(scopes)")
    #expect(!scopes.contains("offline_access"), "this provider's metadata doesn't list it")
    #expect(sent["prompt"] == "login" && sent["login_hint"] == "anna@example.org")
    #expect(sent["domain_hint"] == "example.org" && sent["claims"] == #"{"id_token":{}}"# && sent["dc"] == "ESTS&x")
    #expect(sent["redirect_uri"] == "http://127.0.0.1:\(port)/back" && login.port == port)
  }
}
