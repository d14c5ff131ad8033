import ArgumentParser
import TestSupport
import Testing

@testable import msauth

/// The parser's error for a command's arguments, in this process; describing it takes less time than its message.
func usageError(_ arguments: [String]) -> String? {
  let (words, command) = Invocation.command(in: arguments)
  do {
    _ = try command.parseAsRoot(Array(arguments.dropFirst(words.count)))
    return nil
  } catch {
    return String(describing: error)
  }
}

@Suite("usage errors", .limitedConcurrency)
struct UsageErrorTests {
  @Test("a usage error names the mistake, and its replacement or the help", arguments: rows)
  func usage(line: String, message: String, hint: String?) async throws {
    let runner = try CommandRunner()
    let outcome = try await runner.run(program: ["/bin/sh", "-c", #""$0" \#(line)"#, BuiltProducts.msauth])
      .expect(64, stdout: line.contains("--json") ? nil : "")
    let (words, _) = Invocation.command(in: line.split(separator: " ").map(String.init))
    let help = (["msauth"] + words + ["--help"]).joined(separator: " ")
    let lines = outcome.stderr.replacing(runner.home.path("config"), with: "~/.config").split(separator: "\n")
    #expect(lines.prefix(2) == ["msauth: error: \(message)", "msauth: hint: \(hint ?? "see \(help)")"], "\(outcome)")
    #expect(lines.dropFirst(2).allSatisfy { $0.hasPrefix("msauth: code invalid_parameter") }, "\(outcome)")
  }

  @Test(
    "an invalid value is named in one line, even with control characters",
    arguments: ["--min-validity", "--output"]
  )
  func printableValue(option: String) async throws {
    let outcome = try await CommandRunner().run("token", option, "a. b\nc\u{1b}[31m")
    let lines = outcome.stderr.split(separator: "\n")
    #expect(outcome.code == 64 && !outcome.stderr.contains("\u{1b}"), "\(outcome)")
    #expect(lines.allSatisfy { $0.hasPrefix("msauth: ") }, "\(outcome)")
    #expect(lines.first?.contains("a. b") == true && outcome.stdout.isEmpty, "\(outcome)")
    #expect(option != "--output" || outcome.stderr.contains("hint: choose one of "), "\(outcome)")
  }

  @Test(
    "each option for a duration has the same rule; a negative number isn't parsed as an option",
    arguments: [("token", "--min-validity"), ("login", "--timeout"), ("doctor", "--timeout"), ("serve", "--for")]
  )
  func duration(command: String, option: String) {
    let bound = option == "--min-validity" ? "at least" : "more than"
    for value in ["-5", "5x", ""] {
      let message = usageError([command, option, value]) ?? ""
      #expect(message.contains("\(option) must be \(bound) 0 and at most "), "\(message)")
      #expect(message.contains(", such as 90s, 5m, 8h or 1d, not "), "\(message)")
    }
  }

  private static let identity = ["--client-id", "c", "--authority", "http://127.0.0.1:9"]

  @Test(
    "a flag that a device code sign-in, or the device's broker, can't use is named",
    arguments: [
      ("--device-code", ["--prompt", "login"]), ("--device-code", ["--login-hint", "a@b"]),
      ("--device-code", ["--claims", "{}"]), ("--device-code", ["--extra-query", "a=b"]),
      ("--device-code", ["--broker"]),
    ]
      + ["--device-code", "--broker"].flatMap { option in
        [
          ["--domain-hint", "b"], ["--extra-scope", "S"], ["--redirect-uri", "http://localhost"],
          ["--response-mode", "query"], ["--browser", "true"], ["--no-browser"], ["--via", "host"], ["--paste"],
        ].map { (option, $0) }
      }
  )
  func combined(option: String, flag: [String]) {
    #expect(usageError(["login", option] + flag)?.contains("\(option) can't be combined with \(flag[0])") == true)
  }

  @Test(
    "a browser flag is rejected if no browser may be opened",
    arguments: [(["token"], 2), (["exec", "--", "true"], 2), (["git-credential", "get"], 0)]
  )
  func browserFlag(command: [String], code: Int) async throws {
    for flag in [["--timeout", "3"], ["--browser", "true"], ["--no-browser"]] {
      let message = usageError([command[0]] + flag + command.dropFirst())
      #expect(message?.contains("\(flag[0]) needs --interactive") == true)
    }
    // Configured values apply only where a browser is opened, and aren't errors elsewhere.
    let runner = try CommandRunner()
    try runner.home.write(#"{"client_id": "c", "browser": "true", "timeout": 3}"#, to: "config/msauth/config.json")
    try await runner.run([command[0]] + Self.identity + command.dropFirst()).expect(code)
  }
}
