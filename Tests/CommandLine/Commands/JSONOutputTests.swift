import TestSupport
import Testing

@Suite("JSON and script output", .limitedConcurrency)
struct JSONOutputTests {
  private func object(_ outcome: CommandRunner.Outcome) throws -> JSONValue {
    let value = try JSONValue(parsing: outcome.stdout.utf8)
    #expect(value.object != nil && value["version"]?.integer == 1, "\(outcome)")
    return value
  }

  @Test("every command prints one --json object with version 1")
  func everyCommand() async throws {
    let fixture = try await ProviderMockFixture()
    let login = try await fixture.startLogin("--json")
    _ = try await fixture.provider.signIn(at: login.url)
    let signedIn = try object(try await fixture.runner.outcome(of: login.child))
    #expect(text(of: signedIn).contains(ProviderMock.username))
    let token = fixture.provider.proxy.values(of: "access_token")
    #expect(!token.contains { text(of: signedIn).contains($0) }, "login's result has no token")

    for command in ["status", "accounts"] {
      let outcome = try await fixture.run(command, "--json")
      #expect(outcome.code == 0, "\(outcome)")
      #expect(text(of: try object(outcome)).contains(ProviderMock.username), "\(outcome)")
    }
    let device = try await fixture.runner.run("device", "--json")
    #expect(device.code == 0, "\(device)")
    _ = try object(device)
    let logout = try await fixture.run("logout", "--json")
    #expect(logout.code == 0, "\(logout)")
    _ = try object(logout)
    let status = try await fixture.run("status", "--json")
    #expect(status.code == 2, "\(status)")
    _ = try object(status)
  }

  @Test("the token's expiry is the same in Unix seconds and in RFC 3339 UTC")
  func times() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let outcome = try await fixture.run("token", "--json")
    #expect(outcome.code == 0, "\(outcome)")
    let result = try object(outcome)
    let value = try #require(fixture.provider.proxy.values(of: "access_token").first)
    #expect(result["access_token"]?.string == value)

    let now = Int64(Date().timeIntervalSince1970)
    let seconds = try #require(result["expires_on"]?.integer)
    #expect((now + 3000...now + 3700).contains(seconds), "\(outcome)")
    let moment = Date(timeIntervalSince1970: Double(seconds))
    #expect(result["expires_on_utc"]?.string == moment.formatted(Date.ISO8601FormatStyle(timeZone: .gmt)), "\(outcome)")
  }

  @Test("tokens that never reach --min-validity are an error", arguments: [600, 99_999])
  func shortLived(minimum: Int) async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let outcome = try await fixture.run("token", "--min-validity", "\(minimum)")
    #expect(outcome.code == 0 && !outcome.stdout.isEmpty, "\(outcome)")
    let warning = "less than --min-validity, so each call requests a new token"
    #expect(outcome.stderr.contains(warning) == (minimum > 3600), "\(outcome)")
    #expect(minimum > 3600 || outcome.stderr.isEmpty, "\(outcome)")
  }

  @Test(
    "a failure with --json prints code, reason, message, hint and exit code, and the text to stderr",
    arguments: [
      ("token --json", 2, "account_required", "no_account"),
      ("token --output json", 2, "account_required", "no_account"),
      ("status --json", 2, "account_required", "no_account"), ("switch --json", 2, "account_required", "no_account"),
      ("logout --json --account x", 2, "account_required", "account_unknown"),
      ("login --json --timeout 0.3", 4, "timed_out", "no_redirect"),
      ("accounts --json --cache-file /proc/self/mem", 6, "store_unavailable", nil),
      ("status --json --nonsense", 64, "invalid_parameter", "usage"),
      ("token --json --output header", 64, "invalid_parameter", "usage"),
      ("token --json --output=token", 64, "invalid_parameter", "usage"),
    ] as [(String, Int32, String, String?)]
  )
  func failure(line: String, exit: Int32, code: String, reason: String?) async throws {
    let fixture = try await ProviderMockFixture()
    let words = line.split(separator: " ").map(String.init)
    try expectFailure(of: words, try await fixture.run(words), exit, code, reason)
  }

  @Test(
    "a failure before discovery prints the same object",
    arguments: [
      ("--json status", 64, "invalid_parameter", "usage"), ("statis --json", 64, "invalid_parameter", "usage"),
      ("status --json", 78, "invalid_configuration", "client_id_missing"),
    ] as [(String, Int32, String, String)]
  )
  func early(line: String, exit: Int32, code: String, reason: String) async throws {
    let words = line.split(separator: " ").map(String.init)
    try expectFailure(of: words, try await CommandRunner(home: Home()).run(words), exit, code, reason)
  }

  private func expectFailure(
    of words: [String],
    _ outcome: CommandRunner.Outcome,
    _ exit: Int32,
    _ code: String,
    _ reason: String?
  ) throws {
    #expect(outcome.code == exit, "\(outcome)")
    let error = try #require(try object(outcome)["error"], "\(outcome)")
    #expect(error["exit"]?.integer == Int64(exit) && error["code"]?.string == code, "\(outcome)")
    #expect(reason == nil || error["reason"]?.string == reason, "\(outcome)")
    let message = try #require(error["message"]?.string)
    #expect(!message.isEmpty, "\(outcome)")
    #expect(words[0] == "status" || outcome.stderr.contains("msauth: \(message)\n"), "\(outcome)")
    if let hint = error["hint"]?.string {
      #expect(!hint.isEmpty && (words[0] == "status" || outcome.stderr.contains("hint: \(hint)")), "\(outcome)")
    }
  }

  @Test("an interrupted command prints the error with its exit code")
  func interrupted() async throws {
    let fixture = try await ProviderMockFixture()
    let login = try await fixture.startLogin("--json")
    login.child.signal(SIGINT)
    let outcome = try await fixture.runner.outcome(of: login.child)
    #expect(outcome.code == 130, "\(outcome)")
    let error = try object(outcome)["error"]
    #expect(error?["code"] == "canceled" && error?["exit"]?.integer == 130, "\(outcome)")
  }

  @Test(
    "an API response is embedded with its numbers unchanged",
    arguments: [
      (#"{"z":[1,{}],"n":12345678901234567890.10}"#, #""body":{"n":12345678901234567890.10,"z":[1,{}]},"#),
      ("", ""),
    ]
  )
  func responseOfAPI(body: String, member: String) async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let resource = try ScriptedServer { _, _ in .json(body) }
    let outcome = try await fixture.run("graph", "--json", "--endpoint", resource.url)
    let expected = #"{\#(member)"command":"graph","status":200,"version":1}"#
    #expect(outcome.code == 0 && outcome.stdout == expected + "\n", "\(outcome)")
  }

  @Test("an invalid JSON response is rejected instead of printed")
  func noJSON() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let resource = try ScriptedServer { _, _ in .json("a,b\n") }
    let outcome = try await fixture.run("graph", "--json", "--endpoint", resource.url)
    #expect(outcome.code == 1, "\(outcome)")
    #expect(try object(outcome)["error"]?["message"] == "the response is not JSON", "\(outcome)")
  }

  @Test("an API error is reported with its HTTP status")
  func refusedByAPI() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let resource = try ScriptedServer { _, _ in .json(#"{"error": {"code": "Forbidden"}}"#, status: 403) }
    let outcome = try await fixture.run("graph", "--json", "--endpoint", resource.url)
    #expect(outcome.code == 1, "\(outcome)")
    let result = try object(outcome)
    #expect(result["error"]?["reason"] == "http_403" && result["status"]?.integer == 403, "\(outcome)")
  }

  @Test(
    "a failure names the command, including aliases",
    arguments: [
      (["token"], "token"), (["sign-in", "--claims", "{"], "login"), (["config", "get", "client_id"], "config get"),
      (["switch", "nobody"], "switch"), (["frobnicate"], nil), (["config", "set", "store", "x"], "config set"),
    ] as [([String], String?)]
  )
  func failedCommand(arguments: [String], name: String?) async throws {
    let runner = CommandRunner(home: try Home())
    let outcome = try await runner.run(arguments + ["--json"])
    let output = try object(outcome)
    #expect(outcome.code != 0 && output["error"] != nil && output["command"]?.string == name, "\(outcome)")
  }

  @Test("an incomplete sign-out prints its report and the error in one object")
  func shortfall() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let outcome = try await fixture.run("logout", "--json", "--from-browser", "--no-browser", "--timeout", "0.3")
    #expect(outcome.code == 4, "\(outcome)")
    let report = try object(outcome)
    #expect(report["sign_outs"]?.array?.first?["browser"]?.string == "not_opened", "\(outcome)")
    #expect(report["error"]?["exit"]?.integer == 4, "\(outcome)")
  }

  @Test("every token output form holds the token", arguments: ["token", "id-token", "header", "json", "env"])
  func outputForms(form: String) async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let value = try #require(fixture.provider.proxy.values(of: "access_token").first)
    let idToken = try #require(fixture.provider.proxy.values(of: "id_token").first)
    let outcome = try await fixture.run("token", "--output", form)
    #expect(outcome.code == 0 && outcome.stderr.isEmpty, "\(outcome)")
    switch form {
    case "token": #expect(outcome.stdout == value + "\n", "\(outcome)")
    case "header": #expect(outcome.stdout == "Authorization: Bearer \(value)\n", "\(outcome)")
    case "json":
      let result = try object(outcome)
      #expect(result["access_token"]?.string == value && result["account"]?["email"] == "anna.mail@example.org")
      #expect(result["id_token_claims"]?["sub"]?.string == ProviderMock.subject, "\(outcome)")
    case "id-token": #expect(outcome.stdout == idToken + "\n", "\(outcome)")
    default:
      // A shell must be able to evaluate it.
      let shell = try ChildProcess(
        ["/bin/sh", "-c", outcome.stdout + "\nset"],
        environment: ["PATH": "/usr/bin:/bin"]
      )
      #expect(try await shell.end() == .exited(0))
      #expect(shell.stdout.contains(value), "\(outcome)")
    }
  }

  private func text(of value: JSONValue) -> String {
    String(decoding: value.serialized(), as: UTF8.self)
  }
}
