import TestSupport
import Testing

@Suite("output to pipes, terminals and shells", .limitedConcurrency)
struct OutputTests {
  /// A session of a user whose provider lets users choose names.
  private func signedIn(as name: String) async throws -> ProviderMockFixture {
    let claims = #"{"sub": "mallory", "preferred_username": "\#(name)"}"#
    let fixture = try await ProviderMockFixture(["--user-claims", claims])
    try await fixture.signIn(as: "mallory")
    return fixture
  }

  @Test("a username can't break out of its shell quotes, not even with a combining mark after an apostrophe")
  func shell() async throws {
    let hostile = "mallory'\u{301}; touch PWNED; : '\u{301}"
    let fixture = try await signedIn(as: hostile)
    let token = try await fixture.run("token", "-o", "env").expect(0, output: "MSAUTH_USERNAME=")
    let script = #"eval "$0"; printf %s "$MSAUTH_ACCESS_TOKEN" "$MSAUTH_USERNAME""#
    let outcome = try await fixture.runner.run(program: ["/bin/sh", "-c", script, token.stdout])
    #expect(!fixture.home.files(below: "home").contains("PWNED"), "\(outcome)")
    let value = try #require(fixture.provider.proxy.values(of: "access_token").first)
    #expect(Array(outcome.stdout.utf8) == Array((value + hostile).utf8), "\(outcome)")
  }

  @Test(
    "a closed stderr doesn't lose the renewed session",
    arguments: [
      // The pipe's reader ends before msauth starts.
      #"""
      mkfifo gate
      { read _ <gate; "$@" >result; echo $? >code; } 2>&1 | { exec 0<&-; echo go >gate; }
      cat code result
      """#,
      #" "$@" >result 2>&-; echo $?; cat result"#,
      #" "$@" >result 2>/dev/full; echo $?; cat result"#,
    ]
  )
  func lostErrors(script: String) async throws {
    var fixture = try await ProviderMockFixture.signedIn()
    let before = try await fixture.run("token")
    fixture.runner.prefix = ["/bin/sh", "-c", script, "sh"]
    let outcome = try await fixture.run("token", "--force-refresh", "-vv")
    fixture.runner.prefix = []
    let lines = outcome.stdout.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 3 && lines.first == "0" && lines.last == "", "\(outcome)")
    // The stored token is the printed one.
    let after = try await fixture.run("token")
    #expect(after.code == 0 && after.stdout != before.stdout && after.stdout.dropLast() == lines[1], "\(after)")
  }

  @Test(
    "failing to write the output exits 1 with a message",
    arguments: [
      (#"exec "$@" >/dev/full"#, "No space left on device"),
      (#"exec "$@" >&-"#, "Bad file descriptor"),
      (#"exec 3<>/dev/full; exec "$@" >&3"#, "No space left on device"),
    ],
    [["device"], ["--help"], ["status", "--json", "--client-id", "c", "--store", "file"]]
  )
  func lostOutput(script: (shell: String, error: String), command: [String]) async throws {
    var runner = try CommandRunner()
    runner.prefix = ["/bin/sh", "-c", script.shell, "sh"]
    try await runner.run(command).expect(1, stderr: "msauth: error: can't write the output: \(script.error)\n")
  }

  @Test("a full non-blocking pipe is waited for")
  func fullPipe() async throws {
    var runner = try CommandRunner()
    runner.prefix = ["/usr/bin/python3", BuiltProducts.fixture("full-pipe.py"), "read"]
    try await runner.run("device").expect(0, stdout: "Device is in the private mode.\n")
  }

  @Test("one signal ends a command whose error isn't read")
  func signalAtFullPipe() async throws {
    var runner = try CommandRunner()
    // The error is on stderr before it is on stdout.
    runner.prefix = ["/usr/bin/python3", BuiltProducts.fixture("full-pipe.py"), "terminate"]
    try await runner.run("token", "--json", "--client-id", "c", "--store", "file").expect(143)
  }

  @Test("control characters in a name never reach a terminal; a pipe gets them unchanged")
  func terminal() async throws {
    let name = "ada\u{9b}31m\u{202e}\u{85}\u{7f}@idp.example"
    let fixture = try await signedIn(as: name)
    let controls = "\u{9b}\u{202e}\u{85}\u{7f}".unicodeScalars
    for command in [["accounts"], ["accounts", "--json"], ["status"], ["status", "--json"], ["switch", "--json"]] {
      let shown = try await fixture.runOnTerminal(command).expect(0, output: "@idp.example")
      #expect(!shown.stdout.unicodeScalars.contains(where: controls.contains), "\(command): \(shown)")
    }
    let piped = try await fixture.run("accounts", "--json")
    let account = try piped.json["accounts"]?.array?.first
    #expect(account?["username"]?.string == name, "\(piped)")
  }

  @Test("messages and config show are wrapped at words, commands are not, and the countdown can be turned off")
  func narrow() async throws {
    var runner = try CommandRunner(environment: ["NO_COLOR": "1"])
    func lines(_ arguments: String...) async throws -> [Substring] {
      try await runner.runOnTerminal(arguments, columns: 40).stdout.split(whereSeparator: \.isNewline)
    }
    let error = try await lines("token", "--client-id", "a-long-client-id", "--store", "file")
    #expect(error.first == "msauth: error: no account is signed in", "\(error)")
    #expect(error.contains { $0.hasSuffix("msauth login --client-id a-long-client-id --store file") }, "\(error)")
    runner.environment = [:]
    let shown = try await lines("config", "show")
    #expect(shown.contains("authority") && shown.allSatisfy { $0.count <= 40 || $0.contains("/") }, "\(shown)")
    try runner.home.write(#"{"client_id": "c", "countdown": false, "store": "file"}"#, to: "config/msauth/config.json")
    let login = try await lines("login", "--no-browser", "--timeout", "1", "--authority", "http://127.0.0.1:9")
    #expect(!login.contains { $0.contains(" left;") }, "\(login)")
  }

  @Test("-q omits notices and their hints, but no error")
  func quiet() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada")
    try await fixture.run("logout", "-q").expect(0, stdout: "", stderr: "")
    try await fixture.run("token", "-q").expect(2, "no account is signed in")
    try await fixture.run("accounts", "-q").expect(0, stdout: "", stderr: "")
  }

  @Test(
    "a terminal gets message and hint, in color only if wanted",
    arguments: [[:] as [String: String], ["NO_COLOR": "1"], ["TERM": "dumb"]]
  )
  func colors(environment: [String: String]) async throws {
    var fixture = try await DemoProviderFixture()
    fixture.runner.environment = environment
    let shown = try await fixture.runOnTerminal("token")
    let (red, yellow, end) = environment.isEmpty ? ("\u{1b}[1;31m", "\u{1b}[33m", "\u{1b}[0m") : ("", "", "")
    let login = (["msauth", "login"] + fixture.identity).joined(separator: " ")
    let expected = "msauth: \(red)error:\(end) no account is signed in\r\nmsauth: \(yellow)hint:\(end) run \(login)\r\n"
    #expect(shown.code == 2 && shown.stdout == expected, "\(shown)")
    let verbose = try await fixture.runOnTerminal("token", "-v")
    #expect(verbose.stdout.contains("msauth: code account_required, no_account"), "\(verbose)")
  }
}
