import TestSupport
import Testing

@Suite("msauth git-credential", .limitedConcurrency)
struct GitCredentialTests {
  private func gitCredential(
    _ request: String,
    _ operation: String = "get",
    host: String = "https://git.example.com",
    of fixture: ProviderMockFixture,
    _ arguments: [String] = []
  ) async throws -> CommandRunner.Outcome {
    var fixture = fixture
    fixture.runner.prefix = ["/bin/sh", "-c", #"printf "$0" | "$@""#, request]
    return try await fixture.run(["git-credential", "--host", host] + arguments + [operation])
  }

  private static let known = #"protocol=https\nhost=git.example.com\n"#

  @Test("the token is a password, or a bearer token for git 2.46 and later; without one, git doesn't prompt")
  func credentials() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let token = try #require(fixture.provider.proxy.values(of: "access_token").first)
    let newer = #"capability[]=authtype\nwwwauth[]=Bearer realm="git"\n"#
    let bearer = "capability[]=authtype\nauthtype=Bearer\ncredential=TOKEN\nephemeral=1\n"
    // Azure DevOps puts the organization where others have a user.
    let azure = #"protocol=https\nhost=dev.azure.com\nusername="#
    let organization = "username=contoso\npassword=TOKEN\n"
    for (request, host, output) in [
      (azure + #"contoso\n"#, "https://dev.azure.com", organization),
      (
        azure.replacing("dev.azure", with: "contoso.visualstudio") + #"contoso\n"#, "https://contoso.visualstudio.com",
        organization
      ),
      // The default port and letter case name the same server.
      (
        #"protocol=https\nhost=GIT.example.com:443\n"#, "https://git.example.com",
        "username=anna.mail@example.org\npassword=TOKEN\n"
      ),
    ] {
      let outcome = try await gitCredential(request, host: host, of: fixture)
      #expect(outcome.stdout.hasPrefix(output.replacing("TOKEN", with: token)), "\(request): \(outcome)")
    }
    try await gitCredential(azure + #"bob@x.example\n"#, host: "https://dev.azure.com", of: fixture)
      .expect(2, "bob@x.example")
    let rows: [(more: String, arguments: [String], code: Int32, output: String)] = [
      (#"\n"#, [], 0, "username=anna.mail@example.org\npassword=TOKEN\npassword_expiry_utc="),
      // A URL such as https://@git.example.com, and text in Latin-1.
      (#"username=\n"#, [], 0, "username=anna.mail@example.org\npassword=TOKEN\n"),
      (#"path=r\374.git\nwwwauth[]=Basic realm="\374"\n"#, [], 0, "username=anna.mail@example.org\n"),
      // git sends the username from the URL and reads it back.
      (#"username=ANNA@example.org\n"#, [], 0, "username=ANNA@example.org\npassword=TOKEN\n"),
      ("", ["--username", "oauth2"], 0, "username=oauth2\npassword=TOKEN\n"),
      (newer, [], 0, bearer), (newer + #"wwwauth[]=Basic realm="git"\n"#, [], 0, "username="),
      ("", ["--auth-type", "bearer"], 78, "quit=1\n"), ("", ["--auth-type", "x"], 64, "quit=1\n"),
      ("", ["--username", "a:b"], 64, "quit=1\n"), ("", ["--timeout", "x"], 64, "quit=1\n"),
      ("", ["--client-id", ""], 64, "quit=1\n"),
      // An unknown username gets no other account's token.
      (#"username=bob\n"#, [], 2, "quit=1\n"),
    ]
    for row in rows {
      let outcome = try await gitCredential(Self.known + row.more, of: fixture, row.arguments)
      #expect(outcome.code == row.code && outcome.stderr.isEmpty == (row.code == 0), "\(row): \(outcome)")
      #expect(outcome.stdout.hasPrefix(row.output.replacing("TOKEN", with: token)), "\(row): \(outcome)")
      #expect(row.code == 0 || outcome.stdout == row.output, "\(row): \(outcome)")
      #expect(row.code != 2 || outcome.stderr.contains("bob"), "\(outcome)")
    }
  }

  @Test("a request of another server gets nothing, and an ambiguous one is rejected")
  func rejected() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    // Other ports, http, lookalikes, and incomplete requests.
    let foreign = [
      #"protocol=https\nhost=example.com\n"#, #"protocol=https\nhost=git.example.com.evil.example\n"#,
      #"protocol=http\nhost=git.example.com\n"#, #"protocol=https\nhost=git.example.com:8443\n"#,
      #"protocol=https\nhost=git.example.com@evil.example\n"#, #"protocol=https\nhost=evil.example/git.example.com\n"#,
      #"protocol=cert\nhost=git.example.com\n"#, #"protocol=https\nhost=\npath=git.example.com\n"#,
      #"url=https://git.example.com\n"#, #"host=git.example.com\n"#, "",
    ]
    let ambiguous = [
      #"protocol=https\nhost=evil.example\nhost=git.example.com\n"#, #"protocol=https\nhost=git.example.com\r\n"#,
      #"protocol=https\nhost=git.example.com\000\n"#, Self.known + #"nonsense\n"#, Self.known + #"username=a\033[2J\n"#,
      Self.known + #"username=b\374b\n"#,
    ]
    let rows: [(String, Int32)] = foreign.map { ($0, 0) } + ambiguous.map { ($0, 64) }
    for (request, code) in rows {
      let outcome = try await gitCredential(request, of: fixture).expect(code, stdout: code == 0 ? "" : "quit=1\n")
      #expect(outcome.stderr.isEmpty == (code == 0), "\(request): \(outcome)")
      for token in fixture.provider.proxy.values(of: "access_token") {
        #expect(!outcome.stderr.contains(token), "\(request): \(outcome)")
      }
    }
  }

  @Test("erase drops only the token that this server received, and unknown operations are ignored")
  func erase() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let token = try await fixture.run("token").stdout.filter { $0 != "\n" }
    for operation in ["store", "capability", "erase"] {
      try await gitCredential(Self.known + #"username=a\npassword=b\n"#, operation, of: fixture)
        .expect(0, stdout: "", stderr: "")
    }
    // Git would take quit=1 for the response to erase.
    try await gitCredential(Self.known, "erase", of: fixture, ["--account", "get", "--json"]).expect(64, stdout: "")
    _ = try await gitCredential(#"protocol=https\nhost=evil.example\npassword=\#(token)\n"#, "erase", of: fixture)
    #expect(try await fixture.run("token").stdout == token + "\n")
    _ = try await gitCredential(Self.known + #"password=\#(token)\n"#, "erase", of: fixture)
    #expect(try await fixture.run("token").stdout != token + "\n")
  }

  @Test("the username selects the account, the e-mail address only as a fallback; several matches are rejected")
  func accounts() async throws {
    func claims(_ subject: String, _ username: String, _ mail: String) -> [String] {
      ["--user-claims", #"{"sub":"\#(subject)","preferred_username":"\#(username)","email":"\#(mail)"}"#]
    }
    let fixture = try await ProviderMockFixture(
      claims("a1", "aaron", "anna@example.org") + claims("b1", "bob", "bob@example.org")
        + claims("b2", "bob", "rob@example.org") + claims("c1", "carl", "team@example.org")
        + claims("d1", "dora", "team@example.org")
    )
    for subject in ["a1", "anna", "b1", "b2", "c1", "d1"] { try await fixture.signIn(as: subject) }
    let cache = try fixture.home.json(Home.cacheFile)
    func subject(_ outcome: CommandRunner.Outcome) -> String? {
      let line = outcome.stdout.split(separator: "\n").first { $0.hasPrefix("password=") }
      let tokens = cache["AccessToken"]?.object?.map(\.value) ?? []
      let entry = tokens.first { $0["secret"]?.string == line.map { String($0.dropFirst("password=".count)) } }
      return entry?["home_account_id"]?.string
    }
    let known = #"protocol=https\nhost=git.example.com\nusername="#
    for (name, expected) in [("ANNA@example.org", "anna"), ("rob@example.org", "b2"), ("carl", "c1")] {
      let outcome = try await gitCredential(known + name + #"\n"#, of: fixture)
      #expect(outcome.code == 0 && subject(outcome) == expected, "\(name): \(outcome)\n\(cache)")
    }
    for name in ["bob", "team@example.org"] {
      try await gitCredential(known + name + #"\n"#, of: fixture).expect(7, stdout: "quit=1\n")
    }
  }

  @Test(
    "if a sign-in is required, git doesn't prompt for a password, and waits for no browser without a display",
    arguments: [([], "no account is signed in"), (["--interactive"], "there is no terminal and no display")]
  )
  func signInNeeded(arguments: [String], message: String) async throws {
    try await gitCredential(Self.known, of: ProviderMockFixture(), arguments)
      .expect(2, message, "hint: run msauth login", stdout: "quit=1\n")
  }

  @Test("git's credential.interactive keeps the browser closed", arguments: ["false", "never", "No"])
  func notInteractive(_ value: String) async throws {
    var fixture = try await ProviderMockFixture()
    let names = ["GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "credential.interactive", "GIT_CONFIG_VALUE_0": value]
    fixture.runner.environment.merge(names) { $1 }
    try await gitCredential(Self.known, of: fixture, ["--interactive", "--no-browser"])
      .expect(2, "no account is signed in", stdout: "quit=1\n", lacks: "response_type")
  }
}
