import FoundationEssentials
import MSAuthCore
import TestSupport
import Testing

/// How a place in the sources that puts a value into a hint is proven to pass that value as data.
enum HintProof {
  /// This call prints the hint, whose command is between two texts and has these words.
  case run(HostileCall)
  /// The value is never from outside: a name of ours, a number, or a host that was parsed.
  case ours
  /// The value goes into the placeholder that another row's call renders.
  case renderedBy(String)
  /// Another suite has the hint.
  case suite(String)
}

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

  /// By file and expression.
  private static let rows: [String: HintProof] = [
    "AuthenticationError.swift signIn: declined.names": .renderedBy(
      "command: Invocation.login(scopes: scopes)"
    ),
    "TokenRefresher.swift signIn: request.scopes.names": .renderedBy("command: Invocation.login(scopes: scopes)"),
    "Token.swift signIn: parameters.scopes + challenge.scopes": .renderedBy(
      "command: Invocation.login(scopes: scopes)"
    ),
    "Invocation.swift command: Invocation.login(scopes: scopes)": .run(
      HostileCall(
        arguments: ["token", client, "--store=file", "--scope=" + hostile],
        words: login + ["--scope=" + hostile]
      )
    ),
    "PublicClientApplication+Accounts.swift signIn: [], account: name":
      .renderedBy("command: Invocation.login(account: account)"),
    "Status.swift signIn: [], account: account.username": .renderedBy("command: Invocation.login(account: account)"),
    // The account picker chooses, since the name needs quotes.
    "Invocation.swift command: Invocation.login(account: account)": .run(
      HostileCall(
        arguments: ["token", client, "--store=file", "--authority=https://id.example", "--account=" + hostile],
        files: [ProviderMockFixture.cacheFile: (cache(of: "ada"), 0o600)],
        end: ", or name one that is signed in: ada\n",
        words: login + ["--authority", "https://id.example"]
      )
    ),
    "Invocation.swift command: Invocation.logout": .renderedBy("command: Invocation.login(scopes: scopes)"),
    "Invocation.swift command: Invocation.login() + [\"--device-code\"]":
      .renderedBy("command: Invocation.login(scopes: scopes)"),
    "UserAbsence.swift command: Invocation.login() + [\"--device-code\"]":
      .renderedBy("command: Invocation.login(scopes: scopes)"),
    "Questions.swift command: Invocation.login() + [\"--device-code\"]":
      .renderedBy("command: Invocation.login(scopes: scopes)"),
    "Invocation.swift command: Invocation.mcpLogin(value ?? \"URL\")": .run(
      HostileCall(arguments: ["mcp", "token", serverURL], words: ["msauth", "mcp", "login", serverURL])
    ),
    "MCPServer.swift setting: \"mcp_login\", url, or: \"sign in to the server\"":
      .renderedBy("command: Invocation.mcpLogin(value ?? \"URL\")"),
    "Invocation.swift command: [\"msauth\", \"login\"] + Invocation.words(\"--via\", value ?? \"USER@HOST\")":
      .suite("SessionTests"),
    "DesktopSession.swift setting: \"via\", sshDestination, or: \"\"": .suite("SessionTests"),
    "DesktopSession.swift command: [\"ssh\", \"-L\", \"\\(port):127.0.0.1:\\(port)\"] + sshTarget": .suite(
      "SessionTests"
    ),
    // Other characters than those of a name are refused.
    "LoginVia.swift command: [\"ssh\", host]": .ours,
    "Invocation.swift command: value.map { Invocation.words(flagName(name), $0) } ?? [flagName(name)]":
      .run(
        HostileCall(
          arguments: ["login", "--client-id=c", "--store=file"],
          issuer: serverURL,
          start: "use its issuer: ",
          words: ["--authority", serverURL]
        )
      ),
    "IssuerRule.swift setting: \"authority\", issuer, or: issuer": .renderedBy(
      "command: value.map { Invocation.words(flagName(name), $0) } ?? [flagName(name)]"
    ),
    "Hint.swift setting: \"account\", signedIn, or: \"that account\"": .renderedBy(
      "command: value.map { Invocation.words(flagName(name), $0) } ?? [flagName(name)]"
    ),
    "ProtectedResourceMetadata.swift setting: \"scope\", scope.printable(limit: 200), or: \"the scope to the request\"":
      .renderedBy("command: value.map { Invocation.words(flagName(name), $0) } ?? [flagName(name)]"),
    "Graph.swift command: unrequested.flatMap { Invocation.words(\"--scope\", $0) }": .renderedBy(
      "command: Invocation.login(scopes: scopes)"
    ),
    "OtherNames.swift command: Self.loginCommand + Invocation.words(option, value)":
      .renderedBy("ToolSession.loginCommand.shellCommand"),
    "ExecAzure.swift login.shellCommand": .renderedBy("ToolSession.loginCommand.shellCommand"),
    "OtherNames.swift ToolSession.loginCommand.shellCommand": .run(
      HostileCall(
        arguments: ["az", "account", "get-access-token"],
        environment: ["MSAUTH_CLIENT_ID": hostile, "MSAUTH_STORE": "file"],
        start: "another name: run ",
        end: " instead.",
        words: ["msauth", "login", client]
      )
    ),
    "FileError.swift command: [\"chmod\", \"go-w\", file]": .run(
      HostileCall(
        arguments: ["config", "show", "--config", folder],
        files: ["home/" + folder: ("{}", 0o666)],
        start: "hint: ",
        words: ["chmod", "go-w", folder]
      )
    ),
    "FileError.swift command: [\"chmod\", \"600\", file]": .renderedBy("command: [\"chmod\", \"go-w\", file]"),
    "FileError.swift command: [\"sudo\", \"chown\", \"\\(user)\", file]":
      .renderedBy("command: [\"chmod\", \"go-w\", file]"),
    "ConfigurationFile.swift command: [\"python3\", \"-m\", \"json.tool\", path.pathArgument]": .run(
      HostileCall(
        arguments: ["config", "show", "--config=" + hostile],
        files: ["home/" + hostile: ("{", 0o600)],
        start: "check it with: ",
        words: ["python3", "-m", "json.tool", "./" + hostile]
      )
    ),
    "ConfigurationFile.swift command: [\"chmod\", \"o-r\", path.pathArgument]":
      .renderedBy("command: [\"python3\", \"-m\", \"json.tool\", path.pathArgument]"),
    "ConfigurationDraft.swift command: [\"ls\", \"-ld\", directory.pathArgument]":
      .renderedBy("command: [\"python3\", \"-m\", \"json.tool\", path.pathArgument]"),
    "ConfigurationKey.swift command: [text]": .run(
      HostileCall(
        arguments: ["config", "set", "store", "x", "~" + hostile],
        start: "quote it: ",
        words: ["x ~" + hostile]
      )
    ),
    "Init.swift command: login": .renderedBy("command: Invocation.login(scopes: scopes)"),
    "Init.swift command: login + [\"--device-code\"]": .renderedBy("command: Invocation.login(scopes: scopes)"),
    "ConfigSet.swift command: [\"msauth\", \"config\", \"set\", key]": .ours,
    "ConfigSet.swift command: [\"msauth\", \"config\", \"unset\", key]": .ours,
    "ConfigurationKey.swift setting: \"config_set\", name, or: name": .ours,
    "ConfigurationKey.swift command: [example]": .ours,
    "Invocation.swift command: [\"msauth\", \"config\", \"set\", value ?? \"KEY\"]": .ours,
    "Settings.swift setting: \"no_client_id\", path, or: \"set \\\"client_id\\\" in \\(path)\"": .ours,
    "DeviceInformation.swift command: [\"chmod\", \"644\", path.pathArgument]": .ours,
    "DeviceInformation.swift command: [\"chown\", \"root\", path.pathArgument]": .ours,
    "DockerCredential.swift command: [\"msauth\", \"docker-credential\", \"setup\", registry.host]": .ours,
    "GitConfiguration.swift command: [\"git\", \"config\", \"--global\", \"--unset-all\", key]": .ours,
    "Invocation.swift command: Invocation.help": .ours,
    "Main.swift command: Invocation.help": .ours,
    // Not a command: a member of the configuration.
    "MCPServer+Client.swift setting: \"mcp\", \"{\\\"\\(url)\\\": {\\\"client_id\\\": \\\"ID\\\"}}\", or: \"its client ID in the configuration\"":
      .ours,
    "ParameterList.swift setting: setting, or: \"that setting\"": .ours,
  ]

  @Test("each hint's command has the words as they are in bash, dash, zsh and fish", arguments: rows.keys.sorted())
  func hostile(place: String) async throws {
    guard case .run(let call)? = Self.rows[place] else { return }
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

  @Test("the table has each place that puts a value into a command, a sign-in or a setting of a hint")
  func complete() throws {
    let sources = BuiltProducts.root.appending(path: "Sources").path
    var found: Set<String> = []
    for file in try FileManager.default.subpathsOfDirectory(atPath: sources) where file.hasSuffix(".swift") {
      let content = try #require(FileManager.default.contents(atPath: "\(sources)/\(file)"))
      let text = String(decoding: content, as: UTF8.self).split(separator: "\n")
        .filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
      let name = String(file.split(separator: "/").last ?? "")
      for match in text.matches(of: #/\\\((?=(?:command|signIn|setting): )/#) {
        let expression = Self.argument(text[match.range.upperBound...])
        if Self.hasValue(expression) { found.insert("\(name) \(expression)") }
      }
      for match in text.matches(of: #/[A-Za-z.]+\.shellCommand\b/#) where !["Hint.swift", "Text.swift"].contains(name) {
        found.insert("\(name) \(match.0)")
      }
    }
    let places = Set(Self.rows.keys)
    #expect(found.subtracting(places).isEmpty, "a hint without a row")
    #expect(places.subtracting(found).isEmpty, "a row without a hint")
    for case .renderedBy(let row) in Self.rows.values {
      let rendering = Self.rows.first { $0.key.hasSuffix(" " + row) }?.value
      guard case .run? = rendering else {
        Issue.record("no call prints \(row)")
        continue
      }
    }
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

  /// Whether an expression has more than labels and literals.
  private static func hasValue(_ expression: String) -> Bool {
    let code = expression.replacing(#/"(?:[^"\\]|\\.)*"/#) { $0.0.contains("\\(") ? "value" : "" }
      .replacing(#/\b(?:command|signIn|setting|account|or):/#, with: "")
    return code.contains { $0.isLetter }
  }

  private static func cache(of username: String) -> String {
    let shared = #""home_account_id": "u", "environment": "id.example", "realm": """#
    return """
      {"Account": {"u-id.example-": {\(shared), "local_account_id": "u", "username": "\(username)", "authority_type": "MSSTS"}},
       "RefreshToken": {"r": {\(shared), "client_id": \(JSONValue.string(hostile).serializedString()),
        "credential_type": "RefreshToken", "secret": "s", "target": ""}}}
      """
  }
}
