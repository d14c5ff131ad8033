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

@Suite("help and usage errors", .limitedConcurrency)
struct HelpTests {
  /// Commands that don't take every option of a registration.
  private static let withoutRegistration = ["init", "device", "config", "docker-credential", "mcp", "setup"]
  private static let withoutResult = [
    "config", "exec", "serve", "git-credential", "docker-credential", "mcp", "mcp connect", "setup",
    "setup git", "setup docker", "setup kubectl", "setup mail", "setup mcp",
  ]

  @Test("MCP commands list only the options that they accept")
  func mcp() {
    for command in ["list", "login", "token", "logout", "connect"] {
      let help = Self.help(["mcp", command])
      #expect(help.contains("--store") && !help.contains("--authority") && !help.contains("--tenant"), "\(help)")
      #expect(help.contains("--client-id") == (command != "list"), "\(help)")
    }
    let words = Self.help(["mcp", "connect"]).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("with --no-browser, requests fail"))
    #expect(usageError(["mcp", "login", "--tenant", "x", "https://mcp.example.com/mcp"]) != nil)
    #expect(usageError(["mcp", "logout", "--scope", "x", "https://mcp.example.com/mcp"]) != nil)
  }

  private static func help(_ words: [String]) -> String {
    Invocation.command(in: words).command.helpMessage(columns: 80)
  }

  @Test("--version prints one line to stdout and nothing to stderr")
  func version() async throws {
    let outcome = try await CommandRunner().run("--version")
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.stdout.split(separator: "\n", omittingEmptySubsequences: false).count == 2, "\(outcome)")
    #expect(outcome.stderr.isEmpty, "\(outcome)")
  }

  @Test(
    "every command has its own help, with examples, that fits into 80 columns",
    arguments: try await ProgramCommand.all
  )
  func commandHelp(command: ProgramCommand) {
    let help = Self.help(command.words)
    #expect(help.contains("USAGE: \(command.words.last ?? "") "), "\(help)")
    let lines = HelpText.arranged(help, columns: 80).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines)")
    if !Self.withoutRegistration.contains(command.words[0]) {
      for option in ["--client-id", "--authority", "--profile", "--config", "--store", "--cache-file"] {
        #expect(help.contains(option), "\(option): \(help)")
      }
    }
    #expect(help.contains("--json") != Self.withoutResult.contains(command.description), "\(help)")
    let examples = lines.drop { $0 != "EXAMPLES" }.dropFirst().prefix { !$0.hasPrefix("USAGE") }
    #expect(!examples.isEmpty && examples.allSatisfy { $0.hasPrefix("  ") }, "\(help)")
  }

  private static let bashCompletions = MSAuthCommand.completionScript(for: .bash)

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
    let file = try runner.home.write(Self.bashCompletions, to: "completions")
    // The function that bash calls for the tab key.
    let completion = """
      . "$0"; COMP_WORDS=(msauth "$@") COMP_CWORD=$# COMP_LINE="msauth $*" COMP_POINT=${#COMP_LINE}
      _msauth msauth "${@: -1}" "${@: -2:1}" && echo "${COMPREPLY[*]}"
      """
    try await runner.run(program: ["bash", "-c", completion, file] + words).expect(0, stdout: expected + "\n")
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
      #expect(message.contains(" seconds, written as 90, 5m or 8h, not "), "\(message)")
    }
  }

  private static let identity = ["--client-id", "c", "--authority", "http://127.0.0.1:9"]

  private static let noDestination = "--via requires an ssh destination"
  private static let rejections: [([String], String)] =
    [
      (["login", "--browser", ""], "--browser contains no program"),
      (["login", "--browser", "true", "--no-browser"], "--browser and --no-browser"),
      (["login", "--prompt", "maybe"], "--prompt \"maybe\" isn't valid"),
      (["login", "--response-mode", "fragment"], "--response-mode \"fragment\" isn't valid"),
      (["login", "--via=-oProxyCommand=true"], noDestination),
      (["login", "--via", "host", "--paste"], "--via and --paste"),
      (["login", "--paste", "--browser", "true"], "--browser and --paste"),
      (["login", "--paste", "--response-mode", "form_post"], "--paste and --response-mode"),
      (["login", "--account", "a", "--login-hint", "b"], "--account and --login-hint"),
      (["logout", "--account", "a", "--all"], "--account and --all"),
      (["logout", "a", "--account", "b"], "--account and an argument"),
      (["logout", "a", "--all"], "an account and --all"),
      (["logout", ""], "the account is empty"),
      (["logout", "--browser", "true"], "--browser needs --from-browser"),
      (["logout", "--timeout", "5"], "--timeout needs --from-browser"),
      (["status", "extra"], "unexpected argument 'extra'"),
      (["token", "-q", "-v"], "-q and -v"),
      (["token", "--min-validity", "9223372036854775807"], "at least 0 and at most 31622400"),
      (["token", "--claims", "{}", "--www-authenticate", "x"], "--claims and --www-authenticate"),
      (["token", "--proof-for", "GET https://api.example/"], "--proof-for needs --output header or json"),
      (["token", "--output", "env", "--proof-for", "GET https://a/"], "--proof-for needs --output header or json"),
      (["token", "--output", "header", "--proof-nonce", "n"], "--proof-nonce needs --proof-for"),
      (["token", "--json", "--output", "token"], "--json and --output token"),
      (["mcp", "token", "--json", "--output", "header", "https://a/mcp"], "--json and --output header"),
      (["graph", "//evil.example"], "the path must not be empty or begin with //"),
      (["graph", "me", "--method", "CONNECT"], "--method must be GET"),
      (["graph", "--body", "{}", "--method", "GET"], "--method GET can't be combined with --body"),
      (["doctor", "--timeout", "0"], "more than 0 and at most 300"),
      (["exec", "--azure", "--fd", "3", "--", "true"], "--azure can't be combined with --fd"),
      (["exec", "--azure", "--output", "header", "--", "true"], "--azure can't be combined with --fd"),
      (["exec", "--azure", "--scope", "x", "--", "true"], "--azure can't be combined with --fd"),
      (["setup", "git", "http://git.example.com"], "http to another machine"),
      (["setup", "git", "https://git.example.com/path"], "must have no path"),
      (["setup", "git", "https://a@b"], "has a user part"),
      (["setup", "git", "ftp://x"], "doesn't start with https://"),
      (["setup", "git", "a b"], "a character that a URL can't have"),
      (["setup", "git", ""], "has no valid host"),
      (["setup", "git", "https://a", "--remove", "--scope", "x"], "--remove can't be combined with --scope"),
      (["setup", "git", "https://a", "--remove", "--print"], "--remove can't be combined with --print"),
      (["setup", "docker", "a.azurecr.io", "--remove", "--yes"], "--remove can't be combined with --yes"),
      (["setup", "docker", "a.azurecr.io", "--remove", "--print"], "--remove can't be combined with --print"),
      (
        ["setup", "mcp", "https://a/mcp", "--client", "cursor", "--remove", "--session", "x"],
        "--remove can't be combined with --session"
      ),
      (["serve", "--listen", "172.17.0.1"], "--listen 172.17.0.1 needs --resource"),
    ]
    + ["soon", "86401", "1e30", "nan", "25h", "m"].map { (["login", "--timeout", $0], "at most 86400 seconds") }
    + ["0", "-1s", "400d"].map { (["serve", "--for=\($0)"], "more than 0 and at most 31622400") }
    + ["", "a b", "ada@-oProxyCommand=true", "ssh://-x", "@host", "host;true", "$(true)", "host\n"]
    .map { (["login", "--via", $0], noDestination) }
    + ["0.0.0.0", "::", "[0::0]", "[::]:80", "::ffff:0.0.0.0"].map { (listen($0), "to every network") }
    + ["127.0.0.1:x", "example.com", "", "172.17.0.1/x"].map { (listen($0), "isn't a numeric ADDRESS") }

  private static func listen(_ address: String) -> [String] {
    ["serve", "--listen", address, "--resource", "https://vault.azure.net"]
  }

  @Test("wrong arguments are rejected, with what is wrong", arguments: rejections)
  func rejected(arguments: [String], expected: String) async throws {
    try await CommandRunner().run(arguments).expect(64, expected)
  }

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
    arguments: [["token"], ["exec", "--", "true"], ["git-credential", "get"]]
  )
  func browserFlag(command: [String]) async throws {
    for flag in [["--timeout", "3"], ["--browser", "true"], ["--no-browser"]] {
      let message = usageError([command[0]] + flag + command.dropFirst())
      #expect(message?.contains("\(flag[0]) needs --interactive") == true)
    }
    // Configured values apply only where a browser is opened, and aren't errors elsewhere.
    let runner = try CommandRunner()
    try runner.home.write(#"{"client_id": "c", "browser": "true", "timeout": 3}"#, to: "config/msauth/config.json")
    let configured = try await runner.run([command[0]] + Self.identity + command.dropFirst())
    #expect(configured.code != 64 && configured.code != 78, "\(configured)")
  }

  @Test(
    "an unknown command exits 64 and suggests the nearest one",
    arguments: [
      (["lgin"], "login"), (["help", "stauts"], "status"),
      (["whoami"], "status"), (["auth", "login"], "login"), (["get-token"], "token"), (["print-access-token"], "token"),
      (["list"], "accounts"), (["version"], "--version"), (["account", "list"], "accounts --all"),
      (["accounts", "list"], "accounts"), (["options"], "help options"), (["help", "options", "foo"], "help options"),
      (["help", "nope"], nil), (["config", "sho"], "config show"), (["nope", "--help"], nil), (["Login"], "login"),
    ] as [([String], String?)]
  )
  func unknownCommand(arguments: [String], suggestion: String?) async throws {
    let outcome = try await CommandRunner().run(arguments)
    #expect(outcome.code == 64, "\(outcome)")
    let hint = suggestion.map { "did you mean \"\($0)\"?" } ?? "see msauth --help"
    #expect(outcome.stderr.hasSuffix("msauth: hint: \(hint)\n"), "\(outcome)")
  }

  @Test("a command's help has its own options first and names the shared ones, which help options describes")
  func sharedOptions() async throws {
    let runner = try CommandRunner()
    let login = try await runner.run("login", "--help").stdout
    let parts = [
      "FOUR WAYS TO SIGN IN", "--via USER@HOST", "USAGE:", "OPTIONS:\n  --device-code", "  --scope <scope>",
      "msauth help options",
    ]
    let places = parts.compactMap { login.firstRange(of: $0)?.lowerBound }
    #expect(places.count == parts.count && places == places.sorted(), "\(login)")
    #expect(login.contains("--client-id") && !login.contains("--client-id <id>"), "\(login)")
    let shared = try await runner.run("help", "options").expect(0, output: "--client-id <id>")
    #expect(shared.stdout.contains("--account <account>") && !shared.stdout.contains("--scope"), "\(shared)")
  }

  @Test(
    "help is printed to stdout",
    arguments: [["--help"], ["help"], ["help", "sign-in"], ["sign-out", "--help"], ["-h", "login"], ["-h", "-v"]]
  )
  func help(arguments: [String]) async throws {
    let outcome = try await CommandRunner().run(arguments)
    #expect(outcome.code == 0 && outcome.stderr.isEmpty && outcome.stdout.contains("USAGE: msauth"), "\(outcome)")
    #expect(["login", "sign-in"].contains(arguments.last) == outcome.stdout.contains("--device-code"))
    guard arguments.count == 1 else { return }
    for command in try await ProgramCommand.all where command.words.count == 1 {
      #expect(outcome.stdout.contains("\n  \(command)"), "\(command): \(outcome)")
    }
  }
}
