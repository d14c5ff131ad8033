import ArgumentParser
import FoundationEssentials
import TestSupport
import Testing

@testable import msauth

@Suite("help", .limitedConcurrency)
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
    let lines = HelpText(help).arranged(columns: 80).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines)")
    if !Self.withoutRegistration.contains(command.words[0]) {
      for option in ["--client-id", "--authority", "--profile", "--config", "--store", "--cache-file"] {
        #expect(help.contains(option), "\(option): \(help)")
      }
    }
    #expect(help.contains("--json") != Self.withoutResult.contains(command.description), "\(help)")
    let examples = lines.drop { $0 != "EXAMPLES" }.dropFirst().prefix { !$0.hasPrefix("USAGE") }
    // The manual page indents them by 5 columns, not by 2, and must fit into 80 too.
    #expect(!examples.isEmpty && examples.allSatisfy { $0.hasPrefix("  ") && $0.count <= 77 }, "\(help)")
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
    "help shows a command's help, names a topic's manual page, and lists the shared options, wherever --help is",
    arguments: [
      (["help", "json"], "man 7 msauth-json"), (["--help", "msauth-config"], "man 5 msauth-config"),
      (["help", "environment"], "man 1 msauth"), (["--help", "options"], "--client-id <id>"),
      (["help", "config"], "USAGE: msauth config"), (["help", "login", "--help"], "USAGE: msauth login"),
      (["--profile", "work", "token", "--help"], "USAGE: msauth token"),
    ]
  )
  func topic(arguments: [String], expected: String) async throws {
    try await CommandRunner().run(arguments).expect(0, output: expected)
  }

  @Test("each manual page that isn't a command's is a topic, which the help names")
  func pages() async throws {
    let sources = BuiltProducts.root.appending(path: "Sources/packaging/manual")
    let names = try FileManager.default.contentsOfDirectory(atPath: sources.path).compactMap { name in
      name.wholeMatch(of: /msauth-(\w+)\.([57])(\.md)?/).map { "msauth-\($0.1)(\($0.2))" }
    }
    let help = Self.help([])
    #expect(!names.isEmpty && names.allSatisfy(help.contains), "\(names)")
    #expect(names.count == HelpText.pages.count)
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
