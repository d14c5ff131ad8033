import DemoProvider
import TestSupport
import Testing

@Suite("msauth login --via: a key's passphrase", .limitedConcurrency)
struct ViaPassphraseTests {
  private static let passphrase = "open sesame"

  /// Both computers, with a terminal at the local one.
  private struct Fixture {
    let demo: DemoProviderFixture
    let server: SSHServer
    let command: [String]
    var runner: CommandRunner

    init() async throws {
      demo = try await DemoProviderFixture()
      server = try await SSHServer(passphrase: ViaPassphraseTests.passphrase)
      command = ["login", "--via", server.destination, "--no-browser"] + demo.identity()
      runner = CommandRunner(home: demo.home, environment: ["PATH": "\(server.programs):/usr/bin:/bin"])
    }

    var question: String { "Enter passphrase for key '\(server.key)': " }

    /// Waits until the prompt was shown that many times, when it is being read.
    func asked(_ times: Int = 1, on child: ChildProcess) async throws {
      _ = try await eventually("the question") {
        if let ending = child.ending { throw TestFailure("\(ending): \(child.stdout)") }
        return child.stdout.split(separator: question, omittingEmptySubsequences: false).count > times ? true : nil
      }
    }
  }

  @Test("ssh's prompt is on the terminal without the passphrase, and the sign-in continues")
  func answered() async throws {
    let fixture = try await Fixture()
    let child = try fixture.runner.startOnTerminal(fixture.command, typesMore: true)
    try await fixture.asked(on: child)
    try child.write("wrong\n")
    try await fixture.asked(2, on: child)
    try child.write("\(Self.passphrase)\n")
    let url = try await eventually("the address") {
      if let ending = child.ending { throw TestFailure("\(ending): \(child.stdout)") }
      return child.stdout.split(separator: "\r\n").lazy.filter { $0.contains("sign in at ") }
        .compactMap { $0.split(separator: " ").last { $0.contains("/go/") } }.first.map(String.init)
    }
    _ = try await ScriptedBrowser().walk(from: url, as: "ada")
    let outcome = try await fixture.runner.outcome(of: child)
    #expect(outcome.code == 0 && outcome.stdout.hasSuffix("ada@contoso.example\r\n"), "\(outcome)")
    // msauth prints nothing before the passphrase.
    let questions = "\r\(fixture.question)\r\n\r\(fixture.question)\r\n"
    #expect(outcome.stdout.hasPrefix(questions), "\(outcome)")
    #expect(!outcome.stdout.contains("wrong") && !outcome.stdout.contains(Self.passphrase), "\(outcome)")
  }

  @Test("Ctrl-C at the prompt ends msauth and ssh, and the terminal echoes again")
  func interrupted() async throws {
    let fixture = try await Fixture()
    let script = #"trap : INT; "$@"; echo "status $?"; stty -a"#
    let child = try fixture.runner.startOnTerminal(
      ["-c", script, "sh", try BuiltProducts.msauth] + fixture.command,
      of: "/bin/sh",
      typesMore: true
    )
    try await fixture.asked(on: child)
    #expect(!fixture.server.clients.isEmpty)
    try child.write("\u{3}")
    let outcome = try await fixture.runner.outcome(of: child)
    #expect(outcome.stdout.contains("the sign-in was canceled\r\nstatus 130\r\n"), "\(outcome)")
    #expect(outcome.stdout.contains(" echo ") && !outcome.stdout.contains(" -echo "), "\(outcome)")
    #expect(fixture.server.clients.isEmpty)
  }

  @Test("without a terminal, SSH_ASKPASS is run; without either, the error explains why")
  func noTerminal() async throws {
    var fixture = try await Fixture()
    let home = fixture.demo.home
    let log = home.path("asked")
    let askpass = try home.write(
      "#!/bin/sh\nprintf '%s' \"$1\" > \(log)\necho '\(Self.passphrase)'\n",
      to: "askpass",
      mode: 0o700
    )
    /// Starts without the test runner's terminal.
    func start() throws -> ChildProcess {
      try ChildProcess(
        ["/usr/bin/setsid", "--wait", BuiltProducts.msauth] + fixture.command,
        environment: home.environment.merging(fixture.runner.environment) { $1 },
        in: home.path("home")
      )
    }
    let refused = try await fixture.runner.outcome(of: start())
    #expect(refused.code == 5 && refused.stderr.contains("Permission denied"), "\(refused)")
    #expect(refused.stderr.contains("ssh did not reach msauth on remote"), "\(refused)")

    // ssh requires a desktop's variable for it.
    fixture.runner.environment["SSH_ASKPASS"] = askpass
    fixture.runner.environment["DISPLAY"] = ":99"
    let child = try start()
    _ = try await ScriptedBrowser().walk(from: try await child.printedURL(), as: "ada")
    let outcome = try await fixture.runner.outcome(of: child)
    #expect(outcome.code == 0 && outcome.stdout == "ada@contoso.example\n", "\(outcome)")
    #expect(home.read("asked") == fixture.question)
  }
}
