@testable import DemoProvider
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
      command = ["login", "--via", server.destination, "--no-browser"] + demo.identity
      runner = CommandRunner(home: demo.home, environment: server.environment)
    }

    var prompt: String { "Enter passphrase for key '\(server.key)': " }

    /// Waits until the prompt was shown that many times, when it is being read.
    func waitForPrompt(_ times: Int = 1, on child: ChildProcess) async throws {
      try await eventually("the prompt") {
        if let ending = child.ending { throw TestFailure("\(ending): \(child.stdout)") }
        return child.stdout.ranges(of: prompt).count >= times
      }
    }
  }

  @Test("ssh's prompt is on the terminal without the passphrase, and the sign-in continues")
  func prompted() async throws {
    let fixture = try await Fixture()
    let child = try fixture.runner.startOnTerminal(fixture.command, typesMore: true)
    try await fixture.waitForPrompt(on: child)
    try child.write("wrong\n")
    try await fixture.waitForPrompt(2, on: child)
    try child.write("\(Self.passphrase)\n")
    let url = try await eventually("the address") {
      if let ending = child.ending { throw TestFailure("\(ending): \(child.stdout)") }
      return child.stdout.split(separator: "\r\n").lazy.filter { $0.contains("sign in at ") }
        .compactMap { $0.split(separator: " ").last { $0.contains("/go/") } }.first.map(String.init)
    }
    _ = try await ScriptedBrowser().walk(from: url, as: "ada")
    let outcome = try await fixture.runner.outcome(of: child)
    #expect(outcome.code == 0 && outcome.stdout.hasSuffix(ada + "\r\n"), "\(outcome)")
    // msauth prints nothing before the passphrase.
    let prompts = "\r\(fixture.prompt)\r\n\r\(fixture.prompt)\r\n"
    #expect(outcome.stdout.hasPrefix(prompts), "\(outcome)")
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
    try await fixture.waitForPrompt(on: child)
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
    let log = home.path("askpass-prompt")
    let askpass = try home.script("printf '%s' \"$1\" > \(log)\necho '\(Self.passphrase)'", to: "askpass")
    // Without the test runner's terminal.
    fixture.runner.prefix = ["/usr/bin/setsid", "--wait"]
    try await fixture.runner.run(fixture.command).expect(5, "Permission denied", "ssh didn't reach msauth on remote")

    // ssh requires a desktop's variable for it.
    fixture.runner.environment["SSH_ASKPASS"] = askpass
    fixture.runner.environment["DISPLAY"] = ":99"
    try await fixture.demo.complete(fixture.runner.start(fixture.command)).expect(0, stdout: ada + "\n")
    #expect(home.read("askpass-prompt") == fixture.prompt)
  }
}
