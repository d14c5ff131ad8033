import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthDesktop
import MSAuthPreferences
import MSAuthUnix

/// The command line of this process, whose options are repeated in hints.
enum Invocation {
  /// This call's arguments, without those of another program after `--`.
  static let arguments = Array(ProcessArguments.all.dropFirst().prefix { $0 != "--" })

  /// The options of this call, for another process of msauth that runs the same command.
  static var ownOptions: [String] { Array(arguments.dropFirst(commandWords.count)) }

  /// This call, for another process of msauth that keeps the account even if the current one changes.
  static func repeated(as account: Account) -> [String] {
    // Of several accounts, the last is used.
    commandWords + ownOptions + words("--account", account.identifier)
  }

  /// The options that choose the application, its provider and its store.
  static let providerOptions = [
    "--client-id", "--authority", "--issuer", "--tenant", "--authority-type", "--profile", "--config", "--store",
    "--cache-file", "--ca-file",
  ]
  private static let signInOptions = providerOptions + ["--account", "--scope"]

  private static let mcpOptions = [
    "--client-id", "--client-secret-file", "--session", "--profile", "--config", "--store", "--cache-file", "--ca-file",
    "--scope",
  ]

  static func mcpLogin(_ url: String, scopes: [String] = [], adding options: String...) -> [String] {
    let repeated = mcpOptions.filter { scopes.isEmpty || $0 != "--scope" }
    let added = scopes.flatMap { words("--scope", $0) } + options
    return ["msauth", "mcp", "login"] + repeating(repeated) + added + [url]
  }

  static var isMCP: Bool { commandWords.first == "mcp" }

  /// The sign-in with a browser on another device.
  static var deviceLogin: [String] {
    let values = zip(arguments, arguments.dropFirst()).filter { mcpOptions.contains($0.0) }.map(\.1)
    let url = arguments.first { $0.hasPrefix("http") && !values.contains($0) } ?? "URL"
    return isMCP ? mcpLogin(url, adding: "--device-code") : login() + ["--device-code"]
  }

  /// `msauth login` with the sign-in options of this call, without the omitted one and with the added one.
  static func login(without omitted: String? = nil, adding option: String = "", _ values: [String] = []) -> [String] {
    ["msauth", "login"] + repeating(signInOptions.filter { $0 != omitted }) + values.flatMap { words(option, $0) }
  }

  /// The request for a token with these scopes, or this call's, and with its claims, through the browser.
  static func interactiveToken(scopes: [String]) -> [String] {
    let own = ownOptions.filter { !["--interactive", "--notify"].contains($0) }
    let repeated = repeating(signInOptions.filter { scopes.isEmpty || $0 != "--scope" })
    let added = scopes.flatMap { words("--scope", $0) } + ["--force-refresh"]
    let options = commandWords == ["token"] ? own : repeated + added
    return ["msauth", "token"] + options + ["--interactive"]
  }

  static func login(scopes: [String]) -> [String] {
    scopes.isEmpty ? login() : login(without: "--scope", adding: "--scope", scopes)
  }

  static func login(account: String) -> [String] {
    // The provider chose the name. If it needs quoting, leave the choice to the account picker.
    login(without: "--account", adding: "--account", account.isPlainWord ? [account] : [])
  }

  /// Such as `msauth config set --help`.
  static var help: [String] { ["msauth"] + commandWords + ["--help"] }

  /// The words that name the command, such as `config` and `set`, without aliases.
  static var commandWords: [String] { command(in: arguments).words }

  /// The words that aren't a known command, and the most similar command.
  static var unknownCommand: (words: String, nearest: String?)? {
    let words = arguments.drop { $0 == "help" }.prefix { !$0.hasPrefix("-") }
    let (known, command) = command(in: words)
    guard let unknown = words.dropFirst(known.count).first else { return nil }
    let name = (known + [unknown]).joined(separator: " ")
    let typed = [words.prefix(2).joined(separator: " "), name]
    if let word = typed.firstNonNil({ peers[$0] }) { return (name, word) }
    let subcommands = command.configuration.subcommands
    if subcommands.isEmpty { return nil }
    let names = subcommands.flatMap { [$0.configuration.commandName].compactMap(\.self) + $0.configuration.aliases }
    return (name, nearest(to: name, in: names.map { (known + [$0]).joined(separator: " ") }))
  }

  /// Commands of similar programs, such as az and gh, and msauth's equivalents.
  private static let peers = [
    "account": "accounts", "account get-access-token": "token", "account list": "accounts --all",
    "account set": "switch", "account show": "status", "api": "graph", "auth": "login", "auth list": "accounts --all",
    "auth logout": "logout", "auth print-access-token": "token", "auth setup-git": "setup git", "auth status": "status",
    "auth switch": "switch", "auth token": "token", "completion": "--generate-completion-script",
    "config check": "config validate", "config edit": "config show", "config list": "config show",
    "config path": "config show", "configure": "init",
    "get-access-token": "token", "get-token": "token", "list": "accounts", "ls": "accounts",
    "print-access-token": "token", "profiles": "config profiles", "refresh": "token --force-refresh", "rest": "graph",
    "revoke": "logout", "setup-git": "setup git", "use": "switch", "version": "--version", "who": "status",
    "whoami": "status",
    "accounts list": "accounts", "option": "help options", "options": "help options",
  ]

  /// Options of similar programs, and msauth's equivalents.
  private static let peerOptions: [[String]: [String: String]] = [
    ["graph"]: [
      "-X": "--method", "-H": "--header", "-o": "--output FILE", "--jq": "a pipe to jq",
    ],
    ["login"]: [
      "--web": "msauth login alone, which opens the browser", "--no-launch-browser": "--no-browser",
      "-u": "--account USERNAME",
    ],
    ["token"]: ["--resource": "--scope URL/.default"],
    ["serve"]: ["--port": "--listen 127.0.0.1:PORT", "--json": "--output json"],
  ]

  /// `msauth graph` for a method before the path, as Microsoft's documentation writes requests.
  private static var graphWords: [String]? {
    let methods = ["GET", "POST", "PATCH", "PUT", "DELETE"]
    guard commandWords == ["graph"], ownOptions.count > 1, methods.contains(ownOptions[0].uppercased()) else {
      return nil
    }
    return ["msauth", "graph"] + ownOptions.dropFirst() + ["--method", ownOptions[0].uppercased()]
  }

  /// How to write arguments that the parser rejects, perhaps because of an unknown option.
  static func hint(unknownOption option: String?) -> Hint? {
    if let words = execWords { return "write -- before the command: \(command: words)" }
    if [["-V"], ["-v"]].contains(arguments) { return "use --version" }
    if let words = graphWords { return "use --method: \(command: words)" }
    guard let option else { return nil }
    if let peer = peerOptions[commandWords]?[option] { return "use \(peer)" }
    // az's and kubectl's.
    let isOutput = ["-o", "--output"].contains(option)
    if isOutput, command(in: arguments).command.helpMessage().contains("--json") { return "for JSON, use --json" }
    let isCommand: (String) -> Bool = { !command(in: [$0]).words.isEmpty }
    guard arguments.first?.hasPrefix("-") == true, let index = arguments.firstIndex(where: isCommand) else {
      return nil
    }
    let words = ["msauth"] + Array(arguments[index...]) + Array(arguments[..<index])
    return "options follow the command: \(command: words)"
  }

  /// `msauth exec` with `--` before the first word that isn't one of its own options or their values.
  private static var execWords: [String]? {
    guard commandWords == ["exec"], !ProcessArguments.all.contains("--") else { return nil }
    return ownOptions.indices.firstNonNil { start in
      let words = ownOptions[..<start] + ["--"] + ownOptions[start...]
      guard !ownOptions[start].hasPrefix("-"), (try? Exec.parse(Array(words))) != nil else { return nil }
      return ["msauth", "exec"] + words
    }
  }

  static func command(in arguments: some Sequence<String>) -> (words: [String], command: any ParsableCommand.Type) {
    var words: [String] = []
    var command: any ParsableCommand.Type = MSAuthCommand.self
    for word in arguments {
      let next = command.configuration.subcommands.first {
        $0.configuration.commandName == word || $0.configuration.aliases.contains(word)
      }
      guard let next, let name = next.configuration.commandName else { break }
      words.append(name)
      command = next
    }
    return (words, command)
  }

  /// The options of this call that are in the list, with their values.
  static func repeating(_ names: [String], in arguments: [String] = arguments) -> [String] {
    values(of: names, in: arguments).flatMap(words)
  }

  private static func values(of names: [String], in arguments: [String]) -> [(option: String, value: String)] {
    let words = arguments.prefix { $0 != "--" }
    return words.enumerated().compactMap { index, word in
      let parts = word.split(at: "=", maxSplits: 1)
      let value = parts.count == 2 ? parts[1] : words.dropFirst(index + 1).first
      return value.flatMap { names.contains(parts[0]) ? (parts[0], $0) : nil }
    }
  }

  /// Where the browser is chosen, or can be.
  fileprivate static var browserSource: String {
    guard values(of: ["--browser"], in: arguments).isEmpty else { return "--browser" }
    let flags = values(of: ["--config", "--profile"], in: arguments).map { (String($0.dropFirst(2)), $1) }
    let settings = try? EffectiveSettings(Layer(flags: Dictionary(flags) { $1 }))
    if let source = try? settings?.setting(named: "browser").source, source != .program {
      return "\(source.name) in \(source.location)"
    }
    return SystemBrowser.isChosen(in: ProcessInfo.processInfo.environment) ? "$BROWSER" : "--browser"
  }

  /// The options for these settings.
  static func options(_ settings: some Sequence<(key: String, value: String?)>) -> [String] {
    settings.flatMap { name, value in value.map { words(optionName(name), $0) } ?? [] }
  }

  /// One word if the value begins with a hyphen, which would look like an option.
  static func words(_ option: String, _ value: String) -> [String] {
    value.utf8.first == UInt8(ascii: "-") ? ["\(option)=\(value)"] : [option, value]
  }
}

extension AuthenticationError {
  /// The message and what to do, for a program that shows one line.
  var oneLine: String { message + (hint.map { "; \($0.commandLine)" } ?? "") }
}

extension Hint {
  /// The hint with msauth's commands and options.
  var commandLine: String { named.description }

  /// One step per line, and a command that follows a colon on a separate line, to copy.
  var lines: [String] {
    var lines = [""]
    for part in named.parts {
      let last = lines.count - 1
      switch part {
      case .next: lines.append("")
      case .command(let words) where words.count > 1 && words[0].first != "-" && lines[last].hasSuffix(": "):
        lines[last].removeLast()
        lines.append(part.unbroken)
      case .command: lines[last] += part.unbroken
      default: lines[last] += part.description
      }
    }
    return lines
  }

  /// The hint with line feeds where it must not be wrapped.
  var wrappable: String { named.words { if case .command = $0 { $0.unbroken } else { nil } } }

  private var named: Hint { Hint(parts: parts.flatMap(\.named.parts)) }
}

extension Hint.Part {
  /// With line feeds where it must not be wrapped: the rest of a command could be another command.
  fileprivate var unbroken: String { description.replacing(" ", with: "\n") }

  fileprivate var named: Hint {
    switch self {
    case .text, .next, .command: Hint(parts: [self])
    case .signIn(_, let account?): "run \(command: Invocation.login(account: account))"
    case .signIn(let scopes, nil): "run \(command: Invocation.login(scopes: scopes))"
    case .setting(let name, let value, _): Self.setting(name, value)
    case .action(let action, _): action.instruction
    }
  }

  private static func setting(_ name: String, _ value: String?) -> Hint {
    switch name {
    case "browser": "\(Invocation.browserSource)"
    case "broker":
      "\(Invocation.arguments.contains("--broker") ? "without --broker" : "MSAUTH_BROKER=\(value ?? "auto")")"
    case "store_key_file": "MSAUTH_STORE_KEY_FILE, or \"store_key_file\" in the configuration"
    // Settings without an option.
    case "authorities", "dpop", "mcp", "multiple_clouds_supported", "shared_device_mode_supported":
      "\"\(name)\"\(value.map { ": \($0)" } ?? "") in the configuration"
    default: "\(command: value.map { Invocation.words(optionName(name), $0) } ?? [optionName(name)])"
    }
  }
}

extension Hint.Action {
  fileprivate var instruction: Hint {
    switch self {
    case .signInWithDeviceCode: "\(command: Invocation.deviceLogin)"
    case .signInThroughBroker where Invocation.isMCP: "set MSAUTH_BROKER=always"
    case .signInThroughBroker: "run \(command: Invocation.login() + ["--broker"])"
    case .signInForRequest(let scopes): "run \(command: Invocation.interactiveToken(scopes: scopes))"
    case .signInOverSSH(let destination):
      """
      ; with msauth there too, no port is needed: \
      \(command: (Invocation.isMCP ? ["msauth", "mcp", "login"] : ["msauth", "login"])
        + Invocation.words("--via", destination))
      """
    case .signInToServer(let url, let scopes): "run \(command: Invocation.mcpLogin(url, scopes: scopes))"
    case .signOut: ": \(command: ["msauth", "logout"] + Invocation.repeating(Invocation.providerOptions))"
    case .openAddress: "--no-browser prints the address and waits"
    case .answerChallenge: "msauth token --interactive --www-authenticate, with the resource's response"
    case .enterClientID(let file):
      """
      run msauth init, or set --client-id, MSAUTH_CLIENT_ID or "client_id" in \(file); to try msauth without an account, \
      install msauth-demo and run: \(command: ["msauth-demo", "serve", "--", "bash"])
      """
    case .createConfiguration: "msauth init writes one; --config or MSAUTH_CONFIG names another"
    case .setKey(let key): "\(command: ["msauth", "config", "set", key])"
    case .removeKey(let key): "\(command: ["msauth", "config", "unset", key] + Invocation.repeating(["--config"]))"
    case .readDocumentation: "\(command: Invocation.help)"
    case .logVerbosely: "-vv"
    }
  }
}
