import ArgumentParser
import MSAuth
import MSAuthPreferences
import MSAuthUnix

/// The command line of this process, whose options are repeated in hints.
enum Invocation {
  /// This call's arguments, without those of another program: after `--`, or of the tool that msauth acts as.
  static let arguments =
    ToolAlias.current == nil ? Array(ProcessArguments.all.dropFirst().prefix { $0 != "--" }) : []

  /// The arguments after the command's words, for another process of msauth that runs the same command.
  static var commandArguments: [String] { Array(arguments.dropFirst(commandWords.count)) }

  /// This command line with a fixed account, for another msauth process.
  static func repeated(as account: Account) -> [String] {
    // If --account is repeated, the last one is used.
    commandWords + commandArguments + option("--account", account.identifier)
  }

  /// The options that choose the configuration file and the profile in it.
  static let fileOptions = ["--config", "--profile"]

  /// The options that choose the application and its provider.
  static let registrationOptions = Settings.registrationKeys.map(ConfigurationKey.flag) + ["--issuer"]
  private static let storeOptions = Settings.storeKeys.map(ConfigurationKey.flag)
  static let providerOptions = registrationOptions + storeOptions
  private static let signInOptions = providerOptions + ["--account", "--scope"]
  private static let mcpOptions = ["--client-id", "--client-secret-file", "--session"] + storeOptions + ["--scope"]

  static func mcpLogin(_ url: String, scopes: [String] = [], adding options: String...) -> [String] {
    ["msauth", "mcp", "login"] + repeating(mcpOptions, scopes: scopes) + options + [url]
  }

  static var isMCP: Bool { commandWords.first == "mcp" }

  /// The sign-in without options.
  static var loginCommand: [String] { ["msauth"] + (isMCP ? MCPLogin.commandWords : ["login"]) }

  /// The sign-in with a browser on another device.
  static var deviceLogin: [String] {
    guard isMCP else { return login(adding: ["--device-code"]) }
    let url = zip(arguments, arguments.dropFirst()).first { previous, word in
      !mcpOptions.contains(previous) && word.lowercased().hasPrefix("http")
    }
    return mcpLogin(url?.1 ?? "URL", adding: "--device-code")
  }

  /// `msauth login` with the sign-in options of this call, without the omitted one and with more options.
  static func login(without omitted: String? = nil, adding options: [String] = []) -> [String] {
    ["msauth", "login"] + repeating(signInOptions.filter { $0 != omitted }) + options
  }

  /// The request for a token with these scopes, or this call's, and with its claims, through the browser.
  static func interactiveToken(scopes: [String]) -> [String] {
    let own = commandArguments.filter { !["--interactive", "--notify"].contains($0) }
    let options = commandWords == ["token"] ? own : repeating(signInOptions, scopes: scopes) + ["--force-refresh"]
    return ["msauth", "token"] + options + ["--interactive"]
  }

  static func login(scopes: [String]) -> [String] {
    ["msauth", "login"] + repeating(signInOptions, scopes: scopes)
  }

  static func login(account: String) -> [String] {
    // The provider chose the name. If it needs quoting, leave the choice to the account picker.
    login(without: "--account", adding: account.isPlainWord ? option("--account", account) : [])
  }

  /// Such as `msauth config set --help`.
  static var helpCommand: [String] { ["msauth"] + command(in: arguments.drop { $0 == "help" }).words + ["--help"] }

  static var commandType: any ParsableCommand.Type { command(in: arguments).command }
  static var commandHelp: HelpText { HelpText(of: commandType) }

  /// The words that name the command, such as `config` and `set`, without aliases.
  static var commandWords: [String] { command(in: arguments).words }

  /// The command that the first words name, without aliases.
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
    values(of: names, in: arguments).flatMap(option)
  }

  /// The listed options of this call, with these scopes, if there are any, in place of its own.
  private static func repeating(_ names: [String], scopes: [String]) -> [String] {
    repeating(names.filter { scopes.isEmpty || $0 != "--scope" }) + scopes.flatMap { option("--scope", $0) }
  }

  /// This computer's settings; with `--via`, the options choose those of the other one.
  static var settings: EffectiveSettings? {
    let isRemote = !values(of: ["--via"], in: arguments).isEmpty
    let flags = values(of: isRemote ? [] : fileOptions, in: arguments).map { (String($0.dropFirst(2)), $1) }
    return try? EffectiveSettings(Layer(flags: Dictionary(flags) { $1 }))
  }

  /// Whether a failure is printed as JSON too, even one about the arguments.
  static var requestsJSON: Bool {
    let hasFlag = arguments.contains("--json")
    guard hasFlag || values(of: ["--output", "-o"], in: arguments).contains(where: { $0.value == "json" }) else {
      return false
    }
    // An unknown command or a group of commands has no options.
    guard commandType.configuration.subcommands.isEmpty else { return true }
    // stdout of a command without --json is for another program. The value of --output may be a file.
    let help = commandHelp
    return help.takes("--json") && (hasFlag || help.option("--output")?.valueName != "file")
  }

  static func values(of names: [String], in arguments: [String]) -> [(option: String, value: String)] {
    let words = arguments.prefix { $0 != "--" }
    return words.enumerated().compactMap { index, word in
      let parts = word.split(at: "=", maxSplits: 1)
      let value = parts.count == 2 ? parts[1] : words.dropFirst(index + 1).first
      return value.flatMap { names.contains(parts[0]) ? (parts[0], $0) : nil }
    }
  }

  /// The option for a setting, such as `--cache-file` for `cache_file`; for `authority`, the alias that the user typed.
  static func optionName(for setting: String) -> String {
    let hasIssuer = arguments.contains { $0.split(at: "=", maxSplits: 1)[0] == "--issuer" }
    return setting == "authority" && hasIssuer ? "--issuer" : ConfigurationKey.flag(setting)
  }

  /// The options for these settings.
  static func options(_ settings: some Sequence<(key: String, value: String?)>) -> [String] {
    settings.flatMap { name, value in value.map { option(optionName(for: name), $0) } ?? [] }
  }

  /// An option and its value, in one word if the value begins with a hyphen, which would look like an option.
  static func option(_ name: String, _ value: String) -> [String] {
    value.utf8.first == UInt8(ascii: "-") ? ["\(name)=\(value)"] : [name, value]
  }
}
