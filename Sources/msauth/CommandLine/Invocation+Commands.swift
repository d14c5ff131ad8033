import MSAuth
import MSAuthPreferences

// Commands to run next, with options of this call.
extension Invocation {
  /// The options that choose the configuration file and the profile in it.
  static let fileOptions = ["--config", "--profile"]

  /// The options that choose the application and its provider.
  static let registrationOptions = Settings.registrationKeys.map(ConfigurationKey.flag) + ["--issuer"]
  private static let storeOptions = Settings.storeKeys.map(ConfigurationKey.flag)
  static let providerOptions = registrationOptions + storeOptions
  static let initOptions = registrationOptions + ["--redirect-uri", "--ca-file"] + fileOptions
  private static let signInOptions = providerOptions + ["--account", "--scope"]
  private static let mcpOptions = ["--client-id", "--client-secret-file", "--session"] + storeOptions + ["--scope"]

  /// This command line with a fixed account, for another msauth process.
  static func rerunArguments(as account: Account) -> [String] {
    // If --account is repeated, the last one is used.
    commandWords + commandArguments + option("--account", account.identifier)
  }

  /// A command with the listed options of this call.
  static func msauth(_ words: String..., keeping options: [String] = fileOptions) -> [String] {
    ["msauth"] + words + repeating(options)
  }

  /// Such as `msauth config set --help`.
  static var helpCommand: [String] { ["msauth"] + command(in: arguments.drop { $0 == "help" }).words + ["--help"] }

  /// `msauth init` with the options of this call and more.
  static func initCommand(adding options: [String]) -> [String] {
    msauth("init", keeping: initOptions) + (arguments.contains("--yes") ? ["--yes"] : []) + options
  }

  /// The sign-in without options.
  static var loginCommand: [String] { isMCP ? ["msauth", "mcp", "login"] : ["msauth", "login"] }

  /// `msauth login` with the sign-in options of this call, without the omitted one and with more options.
  static func login(without omitted: String? = nil, adding options: [String] = []) -> [String] {
    msauth("login", keeping: signInOptions.filter { $0 != omitted }) + options
  }

  static func login(scopes: [String]) -> [String] {
    ["msauth", "login"] + repeating(signInOptions, scopes: scopes)
  }

  static func login(account: String) -> [String] {
    // The provider chose the name. If it needs quoting, leave the choice to the account picker.
    login(without: "--account", adding: account.isPlainWord ? option("--account", account) : [])
  }

  static func mcpLogin(_ url: String, scopes: [String] = [], adding options: String...) -> [String] {
    ["msauth", "mcp", "login"] + repeating(mcpOptions, scopes: scopes) + options + [url]
  }

  /// The sign-in with a browser on another device.
  static var deviceLogin: [String] {
    guard isMCP else { return login(adding: ["--device-code"]) }
    let url = zip(arguments, arguments.dropFirst()).first { previous, argument in
      !mcpOptions.contains(previous) && argument.contains(/^https?:\/\//.ignoresCase())
    }
    return mcpLogin(url?.1 ?? "URL", adding: "--device-code")
  }

  /// The request for a token with these scopes, or this call's, and with its claims, through the browser.
  static func interactiveToken(scopes: [String]) -> [String] {
    let own = commandArguments.filter { !["--interactive", "--notify"].contains($0) }
    let options = commandWords == ["token"] ? own : repeating(signInOptions, scopes: scopes) + ["--force-refresh"]
    return ["msauth", "token"] + options + ["--interactive"]
  }

  /// The listed options of this call, with these scopes, if there are any, in place of its own.
  private static func repeating(_ names: [String], scopes: [String]) -> [String] {
    repeating(names.filter { scopes.isEmpty || $0 != "--scope" }) + scopes.flatMap { option("--scope", $0) }
  }
}
