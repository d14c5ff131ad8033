import ArgumentParser
import MSAuth
import MSAuthPreferences
import MSAuthUnix

extension Invocation {
  /// The unknown command, and the most similar known one.
  static var unknownCommand: (name: String, nearest: String?)? {
    let words = arguments.drop { $0 == "help" }.prefix { !$0.hasPrefix("-") }
    let (known, command) = command(in: words)
    guard let unknown = words.dropFirst(known.count).first else { return nil }
    let name = (known + [unknown]).joined(separator: " ")
    let typed = [words.prefix(2).joined(separator: " "), name]
    if let word = typed.firstNonNil({ equivalents[$0] }) { return (name, word) }
    let subcommands = command.configuration.subcommands
    if subcommands.isEmpty { return nil }
    let names = subcommands.flatMap { [$0.configuration.commandName].compactMap(\.self) + $0.configuration.aliases }
    return (name, nearest(to: unknown, in: names).map { (known + [$0]).joined(separator: " ") })
  }

  /// Commands of similar programs, such as az and gh, and msauth's equivalents.
  private static let equivalents = [
    "account": "accounts", "account get-access-token": "token", "account list": "accounts --all",
    "account set": "switch", "account show": "status", "accounts list": "accounts", "ad signed-in-user": "graph me",
    "agent": "serve --background", "api": "graph", "auth": "login", "auth list": "accounts --all",
    "auth logout": "logout", "auth print-access-token": "token", "auth setup-git": "setup git", "auth status": "status",
    "auth switch": "switch", "auth token": "token", "az": "exec --azure -- az",
    "completion": "--generate-completion-script", "completions": "--generate-completion-script",
    "config check": "config validate", "config delete": "config unset", "config edit": "config show",
    "config init": "init", "config list": "config show", "config remove": "config unset", "config rm": "config unset",
    "config use-profile": "switch --profile NAME", "configure": "init", "connect": "login", "get-access-token": "token",
    "get-token": "token", "id-token": "token --output id-token", "list": "accounts", "ls": "accounts", "man": "help",
    "mcp add": "setup mcp", "mcp remove": "setup mcp --remove", "me": "graph me", "options": "help options",
    "print-access-token": "token", "print-identity-token": "token --output id-token", "profile list": "config profiles",
    "profiles": "config profiles", "refresh": "token --force-refresh", "rest": "graph", "revoke": "logout",
    "rm": "logout", "serve stop": "serve --stop", "setup az": "exec --azure -- az",
    "setup claude": "setup mcp URL --client claude-code", "setup cursor": "setup mcp URL --client cursor",
    "setup terraform": "exec --azure -- terraform", "setup vscode": "setup mcp URL --client vscode",
    "setup-git": "setup git", "token id": "token --output id-token", "use": "switch", "user": "status",
    "version": "--version", "whoami": "status",
  ]

  /// Options of similar programs, and the equivalents in these commands; the first ones in all that have them.
  private static let optionEquivalents: [[String]: [String: String]] = [
    []: [
      "--debug": "-v", "--device": "--device-code", "--resource": "--scope URL/.default",
      "--username": "--account USERNAME", "--verbose": "-v", "-r": "--scope URL/.default", "-s": "--scope SCOPE",
      "-t": "--tenant TENANT", "-u": "--account USERNAME",
    ],
    ["graph"]: [
      "-X": "--method", "-H": "--header", "-d": "--body JSON", "-f": "--body JSON", "-F": "--body JSON",
      "-o": "--output FILE", "--jq": "to print a part of the response, pipe it to jq",
      "--interactive": "omit it: msauth graph signs in if needed",
    ],
    ["login"]: [
      "--web": "omit it: msauth login opens the browser", "--no-launch-browser": "--no-browser",
      "--service-principal": "for a service principal, use az login: msauth signs in users only",
    ],
    ["logout"]: ["--browser": "--from-browser", "-y": "omit it: only logout --from-device prompts, and has --yes"],
    ["init"]: ["--scope": "msauth config set scopes SCOPE, with the same --profile"],
    ["switch"]: ["--account": "msauth switch USERNAME", "--user": "msauth switch USERNAME"],
    ["token"]: ["--decode": "--json", "--refresh": "--force-refresh"],
    ["serve"]: ["--port": "--listen 127.0.0.1:PORT", "--json": "--output json"],
  ]

  /// `msauth graph` with the method as an option, not before the path as in Microsoft's documentation.
  private static var correctedGraph: [String]? {
    guard commandWords == ["graph"], commandArguments.count > 1,
      Graph.methods.contains(commandArguments[0].uppercased())
    else {
      return nil
    }
    return ["msauth", "graph"] + commandArguments.dropFirst() + ["--method", commandArguments[0].uppercased()]
  }

  /// The hint for arguments that the parser rejects.
  static func hint(for message: ParserMessage) -> Hint? {
    if let corrected = correctedExec { return "write -- before the command: \(command: corrected)" }
    if [["-V"], ["-v"]].contains(arguments) { return "use --version" }
    if let corrected = correctedGraph { return "use --method: \(command: corrected)" }
    switch message.mistake {
    case .unknownOption(let option, let similar):
      return hint(unknown: option) ?? similar.map { "did you mean \(command: [$0])?" }
    case .unexpectedArgument(let argument): return hint(unexpected: argument)
    case .missingOption(let option): return hint(missing: option)
    case .missingValue(let option): return optionEquivalents[commandWords]?[option].map(equivalentHint)
    case .invalidValue, nil: return nil
    }
  }

  /// The hint for an unknown option: its position, the equivalent of another program's option, or the key of that name.
  private static func hint(unknown option: String) -> Hint? {
    let index = commandIndex
    let reordered = Array(arguments[index...]) + Array(arguments[..<index])
    let (words, command) = Self.command(in: reordered)
    let help = HelpText(of: command)
    if index > 0, !arguments[..<index].contains("help"), help.takes(option) {
      return "options follow the command: \(command: ["msauth"] + reordered)"
    }
    if let equivalent = optionEquivalents[words]?[option] { return equivalentHint(equivalent) }
    if let equivalent = optionEquivalents[[]]?[option], help.takes(equivalent.split(at: " ")[0]) {
      return equivalentHint(equivalent)
    }
    let key = String(option.drop { $0 == "-" }).replacing("-", with: "_")
    let takesKey = ["config get", "config set", "config unset"].contains(words.joined(separator: " "))
    if takesKey, ConfigurationKey.names.contains(key) {
      return "name the key without hyphens: \(command: ["msauth"] + words + [key] + repeating(fileOptions))"
    }
    // az and kubectl print JSON with -o json, gcloud with --format json.
    let isFormat = ["-o", "--output", "--format"].contains(option)
    return isFormat && help.takes("--json") ? "for JSON, use --json" : nil
  }

  /// The table has options, commands and sentences.
  private static func equivalentHint(_ text: String) -> Hint {
    text.hasPrefix("-") || text.hasPrefix("msauth ") ? "use \(text)" : "\(text)"
  }

  /// The index of the command, possibly after `help` and options, which the parser rejects there.
  static var commandIndex: Int {
    guard let first = arguments.first, first == "help" || first.hasPrefix("-") else { return 0 }
    return arguments.firstIndex { !command(in: [$0]).words.isEmpty } ?? 0
  }

  /// The option for a username, a tenant's domain, a scope or an issuer, if the command takes no arguments.
  private static func hint(unexpected argument: String) -> Hint? {
    if commandWords == ["config", "show"] { return "run \(command: msauth("config", "get", argument))" }
    if commandWords == ["graph"], argument.hasPrefix(".") { return Graph.filterHint }
    let help = commandHelp
    guard !help.takesArguments else { return nil }
    // Microsoft's scopes have capital letters, others may look like a domain.
    let isDomain = argument.wholeMatch(of: /[a-z0-9-]+(\.[a-z0-9-]+)+/) != nil
    let candidates: [String] =
      switch argument {
      case _ where argument.contains("@"): ["--account"]
      case _ where isDomain: ["--tenant", "--scope"]
      case _ where argument.contains(/[.:\/]/): ["--scope", "--issuer"]
      default: []
      }
    let options = candidates.filter { help.takes($0) }.map { option($0, argument) }
    guard let first = options.first else { return nil }
    let hint: Hint = "use \(command: first)"
    return isDomain && options.count > 1 ? "\(hint), or \(command: options[1]) if it is a scope" : hint
  }

  /// The possible values of an option that the command requires, from the option's help.
  private static func hint(missing option: String) -> Hint? {
    let values = commandHelp.option(option)?.abstract.wholeMatch(of: /(.+)\./)
    return values.map { "add \(option) \($0.1)" }
  }

  /// `msauth exec` with `--` before the first word that isn't one of its own options or their values.
  private static var correctedExec: [String]? {
    guard commandWords == ["exec"], !ProcessArguments.all.contains("--") else { return nil }
    return commandArguments.indices.firstNonNil { start in
      let separated = commandArguments[..<start] + ["--"] + commandArguments[start...]
      guard !commandArguments[start].hasPrefix("-"), (try? Exec.parse(Array(separated))) != nil else { return nil }
      return ["msauth", "exec"] + separated
    }
  }
}
