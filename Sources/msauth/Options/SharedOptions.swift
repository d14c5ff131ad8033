import ArgumentParser
import MSAuth
import MSAuthCore
import MSAuthPreferences

/// The options of every command that needs an application and its provider.
@dynamicMemberLookup
struct SharedOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Application (client) ID. [MSAUTH_CLIENT_ID]", valueName: "id"))
  var clientID: String?

  @Option(
    help: ArgumentHelp("Authority URL. Default: Microsoft, any account. [MSAUTH_AUTHORITY]", valueName: "url")
  )
  var authority: String?

  @Option(
    help: ArgumentHelp(
      "Microsoft tenant (ID or domain), instead of --authority. [MSAUTH_TENANT]",
      valueName: "tenant"
    )
  )
  var tenant: String?

  @Option(
    help: ArgumentHelp("aad, b2c, ciam, adfs or oidc. [MSAUTH_AUTHORITY_TYPE]", valueName: "type"),
    completion: .values(of: Authority.Kind.self)
  )
  var authorityType: String?

  @OptionGroup var common: CommonOptions

  subscript<Value>(dynamicMember option: KeyPath<CommonOptions, Value>) -> Value { common[keyPath: option] }

  func validate() throws { try CommonOptions.checkNotEmpty(providerFlags) }

  var flags: [String: String] { providerFlags.merging(common.flags) { own, _ in own } }

  private var providerFlags: [String: String] {
    ["client_id": clientID, "authority": authority, "tenant": tenant, "authority_type": authorityType]
      .compactMapValues(\.self)
  }
}

/// The options of every command that reads the configuration file and the token store.
struct CommonOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Profile of the configuration file. [MSAUTH_PROFILE]", valueName: "name"))
  var profile: String?

  @Option(help: ArgumentHelp("Configuration file. [MSAUTH_CONFIG]", valueName: "file"), completion: .file())
  var config: String?

  @Option(
    help: ArgumentHelp("auto, secret-service, file or memory. [MSAUTH_STORE]", valueName: "store"),
    completion: .values(of: StoreSetting.self)
  )
  var store: String?

  @Option(
    help: ArgumentHelp("Token cache of the file store. [MSAUTH_CACHE_FILE]", valueName: "file"),
    completion: .file()
  )
  var cacheFile: String?

  @Option(
    help: ArgumentHelp("PEM file of trusted certificate authorities. [MSAUTH_CA_FILE]", valueName: "file"),
    completion: .file()
  )
  var caFile: String?

  @Flag(name: .shortAndLong, help: "Print only errors and prompts.")
  var quiet = false

  @Flag(name: .short, help: "Print details (-vv for more), never secrets.")
  var verbose: Int

  func validate() throws {
    if quiet, verbose > 0 { throw ValidationError("-q and -v cannot be combined") }
    try Self.checkNotEmpty(flags)
  }

  /// An empty value may come from an unset variable of a script.
  static func checkNotEmpty(_ flags: [String: String]) throws {
    if let name = flags.filter(\.value.isEmpty).keys.min() {
      throw ValidationError("--\(name.replacing("_", with: "-")) is empty")
    }
  }

  var flags: [String: String] {
    ["profile": profile, "config": config, "store": store, "cache_file": cacheFile, "ca_file": caFile]
      .compactMapValues(\.self)
  }
}

extension ArgumentHelp {
  static let json: ArgumentHelp = "Print one JSON object."
}

extension CompletionKind {
  static let accounts = CompletionKind.shellCommand("msauth accounts --quiet 2>/dev/null")

  static func values<Value: CaseIterable & RawRepresentable<String>>(of _: Value.Type) -> CompletionKind {
    .list(Value.allCases.map(\.rawValue))
  }
}

extension RawRepresentable<String> where Self: CaseIterable {
  /// Reads the value of an option that takes one of several words.
  init(word: String, of option: String) throws(AuthenticationError) {
    guard let choice = Self(rawValue: word) else {
      throw AuthenticationError(
        .invalidParameter,
        "unknown value \(word.printable(limit: 40).quoted) for \(option)",
        reason: "option_invalid",
        hint: "choose one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))"
      )
    }
    self = choice
  }
}

struct AccountOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Account to use (username or ID). Default: the current account. [MSAUTH_ACCOUNT]",
      valueName: "account"
    ),
    completion: .accounts
  )
  var account: String?

  func validate() throws {
    // For example, an unset variable of a script.
    if account?.isEmpty == true { throw ValidationError("--account is empty") }
  }

  /// Whether an account is the current one, which may have been named.
  func isCurrent(_ account: Account, of application: PublicClientApplication) async -> Bool {
    guard self.account != nil else { return true }
    return (try? await application.account(named: nil))?.id == account.id
  }
}

/// The options of a command that edits the configuration file.
struct FileOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Configuration file. [MSAUTH_CONFIG]", valueName: "file"), completion: .file())
  var config: String?

  @Flag(help: .json)
  var json = false

  @Flag(name: .shortAndLong, help: "Print only errors and prompts.")
  var quiet = false

  func validate() throws {
    if config?.isEmpty == true { throw ValidationError("--config is empty") }
  }
}

struct ProfileOption: ParsableArguments {
  @Option(help: ArgumentHelp("Write to this profile only.", valueName: "name"))
  var profile: String?

  func validate() throws {
    if profile == "" { throw ValidationError("--profile needs a name") }
  }
}

extension Layer {
  init(_ options: SharedOptions, _ account: AccountOption?) {
    var flags = options.flags
    flags["account"] = account?.account
    self.init(flags: flags)
  }
}

extension Settings {
  init(_ options: SharedOptions, _ account: AccountOption? = nil) throws {
    self = try Settings(Layer(options, account))
    apply(options.common)
  }

  /// For commands about MCP servers, which name where to sign in.
  init(withoutClientID options: CommonOptions) throws {
    self = try Settings(Layer(flags: options.flags), needsClientID: false)
    apply(options)
  }

  private mutating func apply(_ options: CommonOptions) {
    application.applicationName = nil
    Console.configure(isQuiet: options.quiet, isVerbose: options.verbose > 0)
    let level = options.verbose
    application.log = { entry in
      // The command reports errors itself.
      if level > 0 { Console.say(entry.message) } else if entry.level == .warning { Console.notice(entry.message) }
    }
    application.logLevel = level == 0 ? .warning : level == 1 ? .info : .verbose
    // The user at the terminal may see names.
    application.logMasking = .secretsOnly
  }
}
