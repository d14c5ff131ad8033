import TestSupport
import Testing

@Suite("help and usage errors", .limitedConcurrency)
struct HelpTests {
  /// Commands that don't take every option of a registration.
  private static let withoutRegistration = ["init", "device", "config", "docker-credential", "mcp"]
  private static let withoutResult = [
    "config", "exec", "serve", "git-credential", "docker-credential", "mcp", "mcp connect",
  ]

  @Test("MCP commands list only the options that they accept")
  func mcp() async throws {
    let runner = try CommandRunner()
    for command in ["list", "login", "token", "logout", "connect"] {
      let help = try await runner.run("mcp", command, "--help").stdout
      #expect(help.contains("--store") && !help.contains("--authority") && !help.contains("--tenant"), "\(help)")
      #expect(help.contains("--client-id") == (command != "list"), "\(help)")
    }
    let help = try await runner.run("mcp", "connect", "--help").stdout
    #expect(help.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("(mcp connect: fail)"))
    #expect(try await runner.run("mcp", "login", "--tenant", "x", "https://mcp.example.com/mcp").code == 64)
    #expect(try await runner.run("mcp", "logout", "--scope", "x", "https://mcp.example.com/mcp").code == 64)
  }

  @Test("--version prints one line to stdout and nothing to stderr")
  func version() async throws {
    let outcome = try await CommandRunner().run("--version")
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.stdout.split(separator: "\n", omittingEmptySubsequences: false).count == 2, "\(outcome)")
    #expect(outcome.stderr.isEmpty, "\(outcome)")
  }

  @Test(
    "every command has its own help, with examples that fit into 80 columns",
    arguments: try await ProgramCommand.all
  )
  func commandHelp(command: ProgramCommand) async throws {
    let outcome = try await CommandRunner().run(command.words + ["--help"])
    #expect(outcome.code == 0 && outcome.stderr.isEmpty, "\(outcome)")
    #expect(outcome.stdout.contains("USAGE: msauth \(command) "), "\(outcome)")
    if !Self.withoutRegistration.contains(command.words[0]) {
      for option in ["--client-id", "--authority", "--profile", "--config", "--store", "--cache-file"] {
        #expect(outcome.stdout.contains(option), "\(option): \(outcome)")
      }
    }
    #expect(outcome.stdout.contains("--json") != Self.withoutResult.contains(command.description), "\(outcome)")
    let rest = outcome.stdout.split(separator: "\n").drop { $0 != "EXAMPLES" }.dropFirst()
    let lines = rest.prefix { !$0.hasPrefix("USAGE") }
    #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("  ") }, "\(outcome)")
  }

  @Test("each shell gets completions of every command", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) async throws {
    let runner = try CommandRunner()
    let outcome = try await runner.run("--generate-completion-script", shell)
    #expect(outcome.code == 0 && outcome.stderr.isEmpty, "\(outcome.stderr)")
    for word in try await ProgramCommand.all.flatMap(\.words) { #expect(outcome.stdout.contains(word), "\(word)") }

    // Loaded by the shell itself.
    let file = try runner.home.write(outcome.stdout, to: "completions")
    let check = try await runner.run(program: [shell, shell == "fish" ? "--no-execute" : "-n", file])
    #expect(check.code == 0 && check.stderr.isEmpty, "\(check)")
  }

  @Test(
    "bash completes an option's values",
    arguments: [
      (["login", "--prompt", "s"], "select_account"), (["token", "--store", "sec"], "secret-service"),
      (["login", "--response-mode", ""], "query form_post"), (["init", "--authority-type", "c"], "ciam"),
      (["token", "--output", "x"], "xoauth2"), (["status", "--ca-file", "/etc/hostn"], "/etc/hostname"),
    ]
  )
  func values(words: [String], expected: String) async throws {
    let runner = try CommandRunner()
    let script = try await runner.run("--generate-completion-script", "bash").stdout
    let file = try runner.home.write(script, to: "completions")
    // The function that bash calls for the tab key.
    let completion = """
      . "$0"; COMP_WORDS=(msauth "$@") COMP_CWORD=$# COMP_LINE="msauth $*" COMP_POINT=${#COMP_LINE}
      _msauth msauth "${@: -1}" "${@: -2:1}" && echo "${COMPREPLY[*]}"
      """
    let bash = try await runner.run(program: ["bash", "-c", completion, file] + words)
    #expect(bash.code == 0 && bash.stdout == expected + "\n", "\(bash)")
  }

  @Test(
    "an invalid value is rejected with the list of valid ones",
    arguments: [
      ["token", "--output", "xml"], ["login", "--prompt", "maybe"], ["login", "--response-mode", "fragment"],
      ["login", "--store", "cloud"], ["login", "--authority-type", "saml"],
    ]
  )
  func invalidValue(arguments: [String]) async throws {
    let outcome = try await CommandRunner().run(arguments + ["--client-id", "c"])
    #expect(outcome.code == 64 && outcome.stdout.isEmpty, "\(outcome)")
    #expect(outcome.stderr.contains("hint: choose one of "), "\(outcome)")
    #expect(outcome.stderr.split(separator: "\n").allSatisfy { $0.hasPrefix("msauth: ") }, "\(outcome)")
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
    #expect(lines.first?.contains("a. b") == true, "\(outcome)")
  }

  @Test(
    "a negative number isn't parsed as an option",
    arguments: [("token", "--min-validity"), ("login", "--timeout"), ("doctor", "--timeout")]
  )
  func negative(command: String, option: String) async throws {
    let outcome = try await CommandRunner().run(command, option, "-5")
    #expect(outcome.code == 64 && outcome.stderr.contains("\(option) must be a number of seconds"), "\(outcome)")
  }

  @Test(
    "a usage error exits 64 with nothing on stdout, even where a sign-in is impossible",
    arguments: [
      ["login", "--extra-query", "state=1"], ["login", "--redirect-uri", "foo"], ["login", "--browser", ""],
      ["login", "--frobnicate"], ["login", "--timeout", "soon"],
      ["login", "--browser", "true", "--no-browser"], ["logout", "--account", "a", "--all"],
      ["logout", "--browser", "true"], ["logout", "--timeout", "5"],
      ["login", "--extra-query", "noequals"], ["login", "--claims", "not json"],
      ["status", "extra"], ["login", "--redirect-uri", "https://example.org/back"],
      ["login", "--extra-query", "max_age=60"],
      ["token", "--min-validity", "9223372036854775807"], ["login", "--timeout", "86401"],
      ["login", "--timeout", "1e30"], ["login", "--timeout", "nan"], ["login", "--timeout", "25h"],
      ["login", "--timeout", "5x"], ["login", "--timeout", "m"],
      ["login", "--store", "memory", "--cache-file", "/tmp/x"],
      ["graph", "--endpoint", "http://evil.example"], ["graph", "--endpoint", "evil.example"],
      ["graph", "//evil.example"], ["graph", "me", "--method", "CONNECT"],
      ["graph", "--body", "{}", "--method", "GET"],
      ["login", "--store", "secret-service", "--cache-file", "/tmp/x"], ["doctor", "--timeout", "0"],
      ["login", "--via=-oProxyCommand=true"], ["login", "--via", ""], ["login", "--via", "a b"],
      ["login", "--via", "ada@-oProxyCommand=true"], ["login", "--via", "ssh://-x"], ["login", "--via", "@host"],
      ["login", "--via", "host;true"], ["login", "--via", "$(true)"], ["login", "--via", "host\n"],
      ["login", "--via", "host", "--paste"], ["login", "--paste", "--browser", "true"],
      ["login", "--paste", "--response-mode", "form_post"], ["login", "--account", "a", "--login-hint", "b"],
    ]
  )
  func wrongUsage(arguments: [String]) async throws {
    let identity = ["--client-id", "c", "--authority", "http://127.0.0.1:9"]
    let outcome = try await CommandRunner().run(arguments + identity)
    #expect(outcome.code == 64, "\(outcome)")
    #expect(outcome.stdout.isEmpty && !outcome.stderr.isEmpty, "\(outcome)")
  }

  @Test(
    "a flag that a device code sign-in can't use is named",
    arguments: [
      ["--prompt", "login"], ["--login-hint", "a@b"], ["--domain-hint", "b"], ["--extra-scope", "S"],
      ["--claims", "{}"], ["--extra-query", "a=b"], ["--redirect-uri", "http://localhost"],
      ["--response-mode", "query"], ["--browser", "true"], ["--no-browser"], ["--via", "host"],
      ["--paste"],
    ]
  )
  func deviceCode(flag: [String]) async throws {
    let identity = ["--client-id", "c", "--authority", "http://127.0.0.1:9"]
    let outcome = try await CommandRunner().run(["login", "--device-code"] + flag + identity)
    #expect(outcome.code == 64 && outcome.stdout.isEmpty, "\(outcome)")
    #expect(outcome.stderr.contains("--device-code") && outcome.stderr.contains(flag[0]), "\(outcome)")
  }

  @Test(
    "a browser flag is rejected if no browser may be opened",
    arguments: [["token"], ["exec", "--", "true"], ["git-credential", "get"]],
    [["--timeout", "3"], ["--browser", "true"], ["--no-browser"]]
  )
  func browserFlag(command: [String], flag: [String]) async throws {
    let runner = try CommandRunner()
    let identity = ["--client-id", "c", "--authority", "http://127.0.0.1:9"]
    let refused = try await runner.run([command[0]] + identity + flag + command.dropFirst())
    #expect(refused.code == 64 && refused.stderr.contains("\(flag[0]) needs --interactive"), "\(refused)")
    // Configured values apply only where a browser is opened, and aren't errors elsewhere.
    try runner.home.write(#"{"client_id": "c", "browser": "true", "timeout": 3}"#, to: "config/msauth/config.json")
    let configured = try await runner.run([command[0]] + identity + command.dropFirst())
    #expect(configured.code != 64 && configured.code != 78, "\(configured)")
  }

  @Test(
    "an unknown command exits 64 and suggests the nearest one",
    arguments: [
      (["lgin"], "login"), (["acounts", "--json"], "accounts"), (["help", "stauts"], "status"),
      (["help", "nope"], nil), (["config", "sho"], "config show"), (["nope", "--help"], nil), (["Login"], "login"),
    ] as [([String], String?)]
  )
  func unknownCommand(arguments: [String], suggestion: String?) async throws {
    let outcome = try await CommandRunner().run(arguments)
    #expect(outcome.code == 64, "\(outcome)")
    let hint = suggestion.map { "did you mean \"\($0)\"?" } ?? "see msauth --help"
    #expect(outcome.stderr.hasSuffix("msauth: hint: \(hint)\n"), "\(outcome)")
  }

  @Test(
    "--json is an unknown option where a command prints no result",
    arguments: [["exec", "--json", "--", "true"], ["git-credential", "get", "--json"]]
  )
  func noJSON(arguments: [String]) async throws {
    let outcome = try await CommandRunner().run(arguments)
    #expect(outcome.code == 64 && outcome.stderr.hasPrefix("msauth: unknown option '--json'\n"), "\(outcome)")
  }

  @Test("an option before the command is unknown", arguments: ["--json", "-v", "--profile"])
  func optionBeforeCommand(option: String) async throws {
    let outcome = try await CommandRunner().run(option, "status")
    #expect(outcome.code == 64 && outcome.stderr.hasPrefix("msauth: unknown option '\(option)'\n"), "\(outcome)")
  }

  @Test(
    "help is printed to stdout",
    arguments: [["--help"], ["help"], ["help", "login"], ["help", "sign-in"], ["sign-out", "--help"]]
  )
  func help(arguments: [String]) async throws {
    let outcome = try await CommandRunner().run(arguments)
    #expect(outcome.code == 0 && outcome.stderr.isEmpty && outcome.stdout.contains("USAGE: msauth"), "\(outcome)")
    guard arguments.count == 1 else { return }
    for command in try await ProgramCommand.all where command.words.count == 1 {
      #expect(outcome.stdout.contains("\n  \(command)"), "\(command): \(outcome)")
    }
  }
}
