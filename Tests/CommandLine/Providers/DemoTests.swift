import DemoProvider
import TestSupport
import Testing

@Suite("msauth-demo", .limitedConcurrency)
struct DemoTests {
  private func run(
    _ arguments: [String],
    environment: [String: String] = [:]
  ) async throws -> CommandRunner.Outcome {
    try await CommandRunner(environment: environment).run(program: [BuiltProducts.demo] + arguments)
  }

  @Test("without a directory of the login session, the command gets one")
  func runtimeDirectory() async throws {
    let signIn = "msauth login --quiet --browser 'msauth-demo walk %s'"
    let command = #"\#(signIn) && msauth exec -- sh -c 'cat "$MSAUTH_TOKEN_FILE"'"#
    let arguments = ["serve", "--port", "0", "--", "sh", "-c", command]
    let outcome = try await run(arguments, environment: ["XDG_RUNTIME_DIR": "/nonexistent"])
    #expect(outcome.code == 0 && outcome.stdout.hasPrefix("ada@contoso.example\ndemo-at-"), "\(outcome)")
  }

  @Test(
    "walk signs in as the requested user, unless --user names another",
    arguments: [("walk", "alan@contoso.example"), ("walk --user grace", "grace@outlook.example")]
  )
  func requestedUser(walk: String, username: String) async throws {
    let signIn = "msauth login --quiet --login-hint alan@contoso.example --browser 'msauth-demo \(walk) %s'"
    let outcome = try await run(["serve", "--port", "0", "--", "sh", "-c", signIn])
    #expect(outcome.code == 0 && outcome.stdout == "\(username)\n", "\(outcome)")
  }

  @Test("walk enters the code for another device, and fails without it")
  func code() async throws {
    let script = #"""
      msauth login --device-code 2> "$HOME/e" &
      until grep -q 'enter the code' "$HOME/e"; do sleep 0.1; done
      line=$(grep -o 'open .*' "$HOME/e")
      page=$(echo "$line" | cut -d' ' -f2)
      msauth-demo walk "$page" || echo unfinished
      msauth-demo walk --code "${line##* }" "$page"
      wait
      """#
    let outcome = try await run(["serve", "--port", "0", "--", "sh", "-c", script])
    #expect(outcome.stdout.contains("\nunfinished\n") && outcome.stdout.contains("ada@contoso.example"), "\(outcome)")
  }

  @Test("the version is msauth's")
  func version() async throws {
    let version = try await CommandRunner().run("--version").stdout
    #expect(try await run(["--version"]).stdout == version)
  }

  @Test(
    "errors and hints have the form of msauth's",
    arguments: [
      (["--nope"], "unknown option '--nope'", "see msauth-demo serve --help"),
      (["bash"], "unexpected argument 'bash'", "write -- before the command: msauth-demo serve -- bash"),
      (["serve", "bash", "-l"], "", "write -- before the command: msauth-demo serve -- bash -l"),
      (["walk", "x", "--user", "bob"], "--user must be ", "see msauth-demo walk --help"),
      (["serve", "--token-lifetime", "0"], "--token-lifetime must be more than 0\n", "see msauth-demo serve --help"),
    ]
  )
  func errors(arguments: [String], message: String, hint: String) async throws {
    let outcome = try await run(arguments).expect(64, stdout: "")
    #expect(outcome.stderr.hasPrefix("msauth-demo: error: \(message)"), "\(outcome)")
    #expect(outcome.stderr.hasSuffix("\nmsauth-demo: hint: \(hint)\n"), "\(outcome)")
  }

  @Test("a port that another program has is an error of --port")
  func takenPort() async throws {
    let provider = try await DemoProvider.start()
    let port = try #require(provider.baseURL.split(separator: ":").last)
    let outcome = try await run(["serve", "--port", "\(port)", "--", "true"]).expect(64, stdout: "")
    #expect(outcome.stderr.contains("--port: port \(port) of 127.0.0.1 can't be used"), "\(outcome)")
    await provider.stop()
  }

  @Test("a command that isn't found exits 127")
  func notFound() async throws {
    try await run(["serve", "--port", "0", "--", "nosuch"])
      .expect(127, stderr: "msauth-demo: error: nosuch: command not found\n")
  }
}
