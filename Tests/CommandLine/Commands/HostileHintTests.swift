import FoundationEssentials
import MSAuthCore
import TestSupport
import Testing

/// A call whose hint has a command with words from outside: between two texts, and with these words.
struct HostileCall {
  var arguments: [String]
  var environment: [String: String] = [:]
  /// Files below the home, with their modes.
  var files: [String: (text: String, mode: Int)] = [:]
  /// Of an authority that the call names.
  var issuer: String?
  var start = "hint: run "
  var end = "\n"
  let words: [String]
}

@Suite("hints with words from outside", .limitedConcurrency)
struct HostileHintTests {
  /// Each piece would end a word, begin an option or run a command in some shell.
  private static let hostile = #"-$(touch${IFS}FLAG)`touch${IFS}FLAG`;touch${IFS}FLAG&'"\!~*=x"#
  private static let folder = "folder " + hostile
  private static let serverURL = #"http://127.0.0.1:1/;touch$IFS/FLAG'(x)*!~$(id)"#
  private static let client = "--client-id=" + hostile
  private static let login = ["msauth", "login", client, "--store", "file"]

  /// By what makes the words of the command.
  private static let rows: [String: HostileCall] = [
    "Invocation.login(scopes:)": HostileCall(
      arguments: ["token", client, "--store=file", "--scope=" + hostile],
      words: login + ["--scope=" + hostile]
    ),
    // The account picker chooses, since the name needs quotes.
    "Invocation.login(account:)": HostileCall(
      arguments: ["token", client, "--store=file", "--authority=https://id.example", "--account=" + hostile],
      files: [ProviderMockFixture.cacheFile: (CompletionTests.cache(of: ["ada"], client: hostile), 0o600)],
      end: ", or name one that is signed in: ada\n",
      words: login + ["--authority", "https://id.example"]
    ),
    "Invocation.mcpLogin": HostileCall(
      arguments: ["mcp", "token", serverURL],
      words: ["msauth", "mcp", "login", serverURL]
    ),
    "Invocation.words": HostileCall(
      arguments: ["login", "--client-id=c", "--store=file"],
      issuer: serverURL,
      start: "use its issuer: ",
      words: ["--authority", serverURL]
    ),
    "ToolSession.loginCommand": HostileCall(
      arguments: ["az", "account", "get-access-token"],
      environment: ["MSAUTH_CLIENT_ID": hostile, "MSAUTH_STORE": "file"],
      start: "another name: run ",
      end: " instead.",
      words: ["msauth", "login", client]
    ),
    "FileError": HostileCall(
      arguments: ["config", "show", "--config", folder],
      files: ["home/" + folder: ("{}", 0o666)],
      start: "hint: ",
      words: ["chmod", "go-w", folder]
    ),
    "pathArgument": HostileCall(
      arguments: ["config", "show", "--config=" + hostile],
      files: ["home/" + hostile: ("{", 0o600)],
      start: "check it with: ",
      words: ["python3", "-m", "json.tool", "./" + hostile]
    ),
    "ConfigurationKey": HostileCall(
      arguments: ["config", "set", "store", "x", "~" + hostile],
      start: "quote it: ",
      words: ["x ~" + hostile]
    ),
  ]

  /// The values in commands of hints, by file; `Invocation` makes the other commands, and all of sign-ins and settings.
  private static let values: Set<String> = [
    "ConfigSet.swift key", "ConfigurationDraft.swift directory.pathArgument",
    "ConfigurationFile.swift path.pathArgument",
    "ConfigurationKey.swift example", "ConfigurationKey.swift text",
    "DesktopSession.swift port", "DesktopSession.swift sshTarget", "DeviceInformation.swift path.pathArgument",
    "DockerCredential.swift registry.host", "ExecAzure.swift login.shellCommand", "FileError.swift file",
    "FileError.swift user", "GitConfiguration.swift key", "Graph.swift $0", "Graph.swift unrequested.flatMap",
    "Init.swift login",
    // Rejected unless it is a host's name.
    "LoginVia.swift host",
    "OtherNames.swift Self.loginCommand", "OtherNames.swift ToolSession.loginCommand.shellCommand",
    "OtherNames.swift option", "OtherNames.swift value", "SetupKubectl.swift context", "SetupKubectl.swift request",
    "SetupMail.swift address", "SetupMail.swift login", "SetupMail.swift words.shellCommand",
    "SharedOptions.swift list",
  ]

  @Test("each hint's command has the words as they are in bash, dash, zsh and fish", arguments: rows.keys.sorted())
  func hostile(source: String) async throws {
    let call = try #require(Self.rows[source])
    var runner = try CommandRunner()
    let home = runner.home
    for (name, file) in call.files { try home.write(file.text, to: name, mode: file.mode) }
    runner.environment = call.environment
    let server = try ScriptedServer { _, _ in
      .json(
        JSONValue.object([
          "issuer": .string(call.issuer ?? ""), "authorization_endpoint": "https://id.example/a",
          "token_endpoint": "https://id.example/t", "jwks_uri": "https://id.example/k",
        ]).serializedString()
      )
    }
    let isTool = call.arguments[0] == "az"
    if isTool {
      try FileManager.default.createSymbolicLink(
        atPath: home.path("az"),
        withDestinationPath: try BuiltProducts.msauth
      )
    }
    let printed =
      isTool
      ? try await runner.run(program: [home.path("az")] + call.arguments.dropFirst())
      : try await runner.run(call.arguments + (call.issuer == nil ? [] : ["--authority=\(server.url)"]))
    let text = printed.stderr
    let start = try #require(text.firstRange(of: call.start), "\(printed)")
    let rest = text[start.upperBound...]
    let end = try #require(rest.firstRange(of: call.end), "\(printed)")
    let command = String(rest[..<end.lowerBound])

    // An option or a value alone is an argument.
    let program = call.words[0].contains(/^[a-z0-9]+$/) ? call.words[0] : nil
    try home.script(#"printf '%s\0' "${0##*/}" "$@" > '\#(home.path("words"))'"#, to: "bin/\(program ?? "it")")
    runner.environment = ["PATH": "\(home.path("bin")):/usr/bin:/bin"]
    for shell in ["bash", "dash", "zsh", "fish"] {
      try? FileManager.default.removeItem(atPath: home.path("words"))
      let outcome = try await runner.run(program: [shell, "-c", program == nil ? "it " + command : command])
      let words = home.read("words")?.split(separator: "\0").map(String.init)
      #expect(words == (program == nil ? ["it"] : []) + call.words, "\(shell): \(command)\n\(outcome)")
    }
    #expect(home.files(below: ".").filter { $0.hasSuffix("FLAG") }.isEmpty)
  }

  @Test("each value in a command of a hint is listed")
  func complete() throws {
    let sources = BuiltProducts.root.appending(path: "Sources").path
    var found: Set<String> = []
    for file in try FileManager.default.subpathsOfDirectory(atPath: sources) where file.hasSuffix(".swift") {
      let name = String(file.split(separator: "/").last ?? "")
      if ["Invocation.swift", "Hint.swift", "Text.swift"].contains(name) { continue }
      let content = try #require(FileManager.default.contents(atPath: "\(sources)/\(file)"))
      let text = String(decoding: content, as: UTF8.self).split(separator: "\n")
        .filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
      for match in text.matches(of: #/\\\(command: /#) {
        for value in Self.values(in: Self.argument(text[match.range.upperBound...])) {
          found.insert("\(name) \(value)")
        }
      }
      for match in text.matches(of: #/[A-Za-z.]+\.shellCommand\b/#) { found.insert("\(name) \(match.0)") }
    }
    #expect(found.subtracting(Self.values).isEmpty, "may it be from outside? Then add a row")
    #expect(Self.values.subtracting(found).isEmpty, "no hint has it")
  }

  /// The text up to the parenthesis that closes an interpolation, in one line.
  private static func argument(_ text: Substring) -> String {
    var depth = 1
    let end = text.firstIndex { character in
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      return depth == 0
    }
    return text[..<(end ?? text.endIndex)].split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// The names in an expression, without those of `Invocation`'s functions.
  private static func values(in expression: String) -> [Substring] {
    let code = expression.replacing(#/"([^"]*)"/#) { literal in
      literal.1.matches(of: #/\\\((.*?)\)/#).map { " \($0.1) " }.joined()
    }
    return code.matches(of: #/[$A-Za-z_][A-Za-z0-9_.]*/#).map(\.0).filter { !$0.hasPrefix("Invocation.") }
  }
}
