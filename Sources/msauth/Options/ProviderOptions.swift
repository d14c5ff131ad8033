import ArgumentParser
import MSAuth
import MSAuthPreferences
import MSAuthUnix

/// The options of every command that needs an application and its provider.
@dynamicMemberLookup
struct ProviderOptions: MessageOptions {
  static let title = "Provider, store and messages"

  @Option(help: .value("id", "Application (client) ID. [MSAUTH_CLIENT_ID]"))
  var clientID: String?

  @Option(
    name: [.customLong("authority"), .customLong("issuer")],
    help: .value("url", "Authority, or a provider's issuer. Default: Microsoft, any account. [MSAUTH_AUTHORITY]")
  )
  var authority: String?

  @Option(help: "Microsoft tenant (ID or domain), instead of --authority. [MSAUTH_TENANT]")
  var tenant: String?

  @Option(
    help: .value("type", "aad, b2c, ciam, adfs or oidc. [MSAUTH_AUTHORITY_TYPE]"),
    completion: .values(of: Authority.Kind.self)
  )
  var authorityType: String?

  @OptionGroup var storeOptions: StoreOptions

  subscript<Value>(dynamicMember option: KeyPath<StoreOptions, Value>) -> Value { storeOptions[keyPath: option] }

  var messages: Console.Messages { storeOptions.messages }

  func validate() throws { try checkNotEmpty(providerFlags) }

  /// The values of the options that were given, by setting.
  var flags: [String: String] { providerFlags.merging(storeOptions.flags) { $1 } }

  private var providerFlags: [String: String] {
    ["client_id": clientID, "authority": authority, "tenant": tenant, "authority_type": authorityType]
      .compactMapValues(\.self)
  }
}

/// The options of every command that reads the configuration file and the token store.
struct StoreOptions: MessageOptions {
  static let title = "Store and messages"

  @Option(
    help: .value("name", "Profile in the configuration file, or \"default\" for none. [MSAUTH_PROFILE]"),
    completion: .profiles
  )
  var profile: String?

  @Option(file: "Configuration file. [MSAUTH_CONFIG]")
  var config: String?

  @Option(help: "auto, secret-service, file or memory. [MSAUTH_STORE]", completion: .values(of: StoreSetting.self))
  var store: String?

  @Option(file: "Token cache of the file store. [MSAUTH_CACHE_FILE]")
  var cacheFile: String?

  @Option(file: "PEM file of trusted certificate authorities. [MSAUTH_CA_FILE]")
  var caFile: String?

  @OptionGroup var quietOption: QuietOption

  @Flag(name: .short, help: "Print details (-vv for more), never secrets.")
  var verbose: Int

  func validate() throws {
    try reject(together: ["-q": quietOption.quiet, "-v": verbose > 0])
    try checkNotEmpty(flags)
  }

  var messages: Console.Messages { verbose > 0 ? .detailed : quietOption.messages }

  var flags: [String: String] {
    ["profile": profile, "config": config, "store": store, "cache_file": cacheFile, "ca_file": caFile]
      .compactMapValues(\.self)
  }
}

struct AccountOption: ParsableArguments {
  static let title = "Account"

  @Option(
    help: "Account to use (username or ID). Default: the current account. [MSAUTH_ACCOUNT]",
    completion: .accounts
  )
  var account: String?

  func validate() throws { try checkNotEmpty(["account": account]) }

  /// Whether the account is the current one, which is used if no account was named.
  func isCurrent(_ account: Account, of client: PublicClientApplication) async -> Bool {
    guard self.account != nil else { return true }
    return (try? await client.account(named: nil))?.id == account.id
  }
}

extension ArgumentHelp {
  static let json: ArgumentHelp = "Print one JSON object."
  static let scope: ArgumentHelp = "Scope to request. Can be repeated, or several separated by spaces."
  static let prompt: ArgumentHelp = "select_account, login, consent, create or none."
  static let interactive: ArgumentHelp = "Sign in through the browser if needed."

  /// Help for an option whose value isn't named after the option.
  static func value(_ name: String, _ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, valueName: name) }
}

extension Option<String?> {
  /// An option whose value is a file's path.
  init(file help: String) { self.init(help: .value("file", help), completion: .file()) }
}

extension Settings {
  init(_ options: ProviderOptions, _ account: AccountOption? = nil, needsClientID: Bool = true) throws {
    self = try Settings(Layer(options, account), needsClientID: needsClientID)
    apply(options.storeOptions)
  }

  /// For MCP commands, whose server names its authorization server.
  init(withoutClientID options: StoreOptions) throws {
    self = try Settings(Layer(flags: options.flags), needsClientID: false)
    apply(options)
  }

  var hasClientID: Bool { !application.clientID.isEmpty }

  private mutating func apply(_ options: StoreOptions) {
    application.applicationName = nil
    let level = options.verbose
    application.log = { entry in
      // The command reports errors itself.
      if level > 0 { Console.message(entry.message) } else if entry.level == .warning { Console.warning(entry.message) }
    }
    application.logLevel = level == 0 ? .warning : level == 1 ? .info : .verbose
    // The user at the terminal may see names.
    application.logMasking = .secretsOnly
  }
}

extension Layer {
  init(_ options: ProviderOptions, _ account: AccountOption? = nil) {
    var flags = options.flags
    flags["account"] = account?.account
    self.init(flags: flags)
    self["authority"] = self["authority"].map { Sourced($0.value, .flag(Invocation.optionName(for: "authority"))) }
  }
}
