import TestSupport
import Testing

@Suite("JSON and script output", .limitedConcurrency)
struct JSONOutputTests {
  private func object(_ outcome: CommandRunner.Outcome) throws -> JSONValue {
    let value = try outcome.json
    #expect(value.object != nil && value["version"]?.integer == 1, "\(outcome)")
    return value
  }

  @Test("a sign-in's commands print one --json object with version 1")
  func signInCommands() async throws {
    let fixture = try await ProviderMockFixture()
    let signedIn = try await fixture.complete(fixture.startLogin("--json"))
    _ = try object(signedIn)
    let tokens = fixture.provider.proxy.values(of: "access_token")
    #expect(signedIn.stdout.contains(ProviderMock.username) && !tokens.contains(where: signedIn.stdout.contains))

    for (command, code) in [("status", 0), ("accounts", 0), ("logout", 0), ("status", 2)] as [(String, Int32)] {
      let outcome = try await fixture.run(command, "--json")
      _ = try object(outcome)
      #expect(outcome.code == code && outcome.stdout.contains(ProviderMock.username) == (code == 0), "\(outcome)")
    }
    let device = try await fixture.runner.run("device", "--json")
    #expect(try device.code == 0 && object(device)["command"] == "device", "\(device)")
  }

  @Test(
    "a failure is printed as JSON wherever the option is, if the arguments can't be parsed, and for a signed-out status",
    arguments: [
      ("token --output json", 2, "account_required", "no_account"),
      ("status --json", 2, "account_required", "no_account"),
      ("logout --json --account x", 2, "account_required", "account_unknown"),
      ("status --json --nonsense", 64, "invalid_parameter", "usage"),
      ("token --json --output header", 64, "invalid_parameter", "usage"),
      ("--json status", 64, "invalid_parameter", "usage"), ("statis --json", 64, "invalid_parameter", "usage"),
      ("token --json", 78, "invalid_configuration", "client_id_missing"),
    ]
  )
  func failure(line: String, exit: Int32, code: String, reason: String) async throws {
    let runner = try CommandRunner()
    let identity = reason == "client_id_missing" ? [] : ["--client-id", "c", "--store", "file"]
    let outcome = try await runner.run(line.split(separator: " ").map(String.init) + identity).expect(exit)
    let error = try #require(try object(outcome)["error"], "\(outcome)")
    #expect(error["exit"]?.integer == Int64(exit) && error["code"]?.string == code, "\(outcome)")
    #expect(error["reason"]?.string == reason && error["message"]?.string?.isEmpty == false, "\(outcome)")
  }

  @Test(
    "a command without --json leaves stdout, which another program reads, empty",
    arguments: ["docker-credential get", "mcp connect https://mcp.example", "serve", "setup git https://git.example"]
  )
  func noOption(line: String) async throws {
    let outcome = try await CommandRunner().run(line.split(separator: " ").map(String.init) + ["--json"])
    #expect(outcome.code == 64 && outcome.stdout.isEmpty, "\(outcome)")
  }

  @Test("an API response is embedded with its numbers unchanged; an error and an invalid response are reported")
  func responseOfAPI() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    func run(_ body: String, status: Int = 200) async throws -> CommandRunner.Outcome {
      let resource = try ScriptedServer { _, _ in .json(body, status: status) }
      return try await fixture.run("graph", "--json", "--endpoint", resource.url)
    }
    for (body, member) in [
      (#"{"z":[1,{}],"n":12345678901234567890.10}"#, #""body":{"n":12345678901234567890.10,"z":[1,{}]},"#), ("", ""),
    ] {
      let outcome = try await run(body)
      let expected = #"{\#(member)"command":"graph","status":200,"version":1}"#
      #expect(outcome.code == 0 && outcome.stdout == expected + "\n", "\(outcome)")
    }
    let rejected = try await run(#"{"error": {"code": "Forbidden"}}"#, status: 403)
    let error = try object(rejected)
    #expect(rejected.code == 1 && error["error"]?["reason"] == "http_403" && error["status"] == 403, "\(rejected)")
    let invalid = try await run("a,b\n")
    #expect(try invalid.code == 1 && object(invalid)["error"]?["message"] == "the response isn't JSON", "\(invalid)")
  }

  @Test(
    "a failure names the command, including aliases",
    arguments: [
      (["token"], "token", 78), (["sign-in", "--claims", "{"], "login", 78),
      (["config", "get", "client_id"], "config get", 1), (["switch", "nobody"], "switch", 78),
      (["frobnicate"], nil, 64), (["config", "set", "store", "x"], "config set", 64),
    ] as [([String], String?, Int32)]
  )
  func failedCommand(arguments: [String], name: String?, code: Int32) async throws {
    let outcome = try await CommandRunner().run(arguments + ["--json"]).expect(code)
    let output = try object(outcome)
    #expect(output["error"]?["exit"]?.integer == Int64(code) && output["command"]?.string == name, "\(outcome)")
  }
}
