import ArgumentParser
import MSAuth
import MSAuthUnix

extension Invocation {
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
    guard commandWords == ["graph"], ownOptions.count > 1, Graph.methods.contains(ownOptions[0].uppercased()) else {
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
    // az and kubectl print JSON with -o json.
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
}
