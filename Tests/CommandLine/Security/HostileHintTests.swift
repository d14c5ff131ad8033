import FoundationEssentials
import MSAuthCore
import TestSupport
import Testing

/// A call whose hint has a command with words from outside: after a text, and with these words.
struct HostileCall {
  var arguments: [String]
  /// The name of a file below the home with invalid content.
  var file: String?
  /// Of an authority that the call names.
  var issuer: String?
  let start: String
  let words: [String]
}

@Suite("hints with words from outside", .limitedConcurrency)
struct HostileHintTests {
  /// Each piece would end a word, begin an option or run a command in some shell.
  private static let hostile = #"-$(touch${IFS}FLAG)`touch${IFS}FLAG`;touch${IFS}FLAG&'"\!~*=x"#
  private static let issuer = #"http://127.0.0.1:1/;touch$IFS/FLAG'(x)*!~$(id)"#
  private static let client = "--client-id=" + hostile

  /// By the kind of the hint's placeholder; ShellWordTests proves the rule for any words.
  private static let rows: [String: HostileCall] = [
    "signIn": HostileCall(
      arguments: ["token", client, "--store=file", "--scope=" + hostile],
      start: "hint: run ",
      words: ["msauth", "login", client, "--store", "file", "--scope=" + hostile]
    ),
    "setting": HostileCall(
      arguments: ["login", "--client-id=c", "--store=file"],
      issuer: issuer,
      start: "use its issuer: ",
      words: ["--authority", issuer]
    ),
    "action": HostileCall(
      arguments: ["mcp", "token", "--store=file", client, "https://mcp.example/mcp"],
      start: "hint: run ",
      words: ["msauth", "mcp", "login", "--store", "file", client, "https://mcp.example/mcp"]
    ),
    "command": HostileCall(
      arguments: ["config", "show", "--config=" + hostile],
      file: hostile,
      start: "check it with: ",
      words: ["python3", "-m", "json.tool", "./" + hostile]
    ),
  ]

  @Test("each hint's command passes the words unchanged in bash, dash, zsh and fish", arguments: rows.keys.sorted())
  func hostile(placeholder: String) async throws {
    let call = try #require(Self.rows[placeholder])
    var runner = try CommandRunner()
    let home = runner.home
    if let file = call.file { try home.write("{", to: "home/" + file) }
    let server = try ScriptedServer { _, _ in
      .json(
        JSONValue.object([
          "issuer": .string(call.issuer ?? ""), "authorization_endpoint": "https://id.example/a",
          "token_endpoint": "https://id.example/t", "jwks_uri": "https://id.example/k",
        ]).serializedString()
      )
    }
    let printed = try await runner.run(call.arguments + (call.issuer == nil ? [] : ["--authority=\(server.url)"]))
    let text = printed.stderr
    let start = try #require(text.firstRange(of: call.start), "\(printed)")
    let command = text[start.upperBound...].prefix { $0 != "\n" }

    // An option or a value alone is an argument.
    let program = call.words[0].contains(/^[a-z0-9]+$/) ? call.words[0] : nil
    try home.script(#"printf '%s\0' "${0##*/}" "$@" > '\#(home.path("words"))'"#, to: "bin/\(program ?? "it")")
    runner.environment = ["PATH": "\(home.path("bin")):/usr/bin:/bin"]
    for shell in ["bash", "dash", "zsh", "fish"] {
      try? FileManager.default.removeItem(atPath: home.path("words"))
      let outcome = try await runner.run(program: [shell, "-c", program == nil ? "it \(command)" : String(command)])
      let words = home.read("words")?.split(separator: "\0").map(String.init)
      #expect(words == (program == nil ? ["it"] : []) + call.words, "\(shell): \(command)\n\(outcome)")
    }
    #expect(home.files(below: ".").filter { $0.hasSuffix("FLAG") }.isEmpty)
  }
}
