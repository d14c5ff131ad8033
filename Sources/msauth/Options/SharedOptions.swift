import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthDesktop
import MSAuthPreferences
import MSAuthUnix
import Synchronization

/// The options of every command that needs an application and its provider.
@dynamicMemberLookup
struct SharedOptions: ParsableArguments {
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

  @OptionGroup var common: CommonOptions

  subscript<Value>(dynamicMember option: KeyPath<CommonOptions, Value>) -> Value { common[keyPath: option] }

  func validate() throws { try checkNotEmpty(providerFlags) }

  /// The options that were given, by the names of their settings.
  var flags: [String: String] { providerFlags.merging(common.flags) { $1 } }

  /// The options with absolute paths, for a process in another directory.
  var absoluteFlags: [String: String] { flags.merging(common.files.mapValues(\.absolutePath)) { $1 } }

  private var providerFlags: [String: String] {
    ["client_id": clientID, "authority": authority, "tenant": tenant, "authority_type": authorityType]
      .compactMapValues(\.self)
  }
}

/// The options of every command that reads the configuration file and the token store.
struct CommonOptions: ParsableArguments {
  @Option(help: .value("name", "Profile of the configuration file; default for none. [MSAUTH_PROFILE]"))
  var profile: String?

  @Option(file: "Configuration file. [MSAUTH_CONFIG]")
  var config: String?

  @Option(help: "auto, secret-service, file or memory. [MSAUTH_STORE]", completion: .values(of: StoreSetting.self))
  var store: String?

  @Option(file: "Token cache of the file store. [MSAUTH_CACHE_FILE]")
  var cacheFile: String?

  @Option(file: "PEM file of trusted certificate authorities. [MSAUTH_CA_FILE]")
  var caFile: String?

  @Flag(name: .shortAndLong, help: "Print only errors and prompts.")
  var quiet = false

  @Flag(name: .short, help: "Print details (-vv for more), never secrets.")
  var verbose: Int

  func validate() throws {
    try refuse(["-q and -v can't be combined": quiet && verbose > 0])
    try checkNotEmpty(flags)
    Console.configure(isQuiet: quiet, isVerbose: verbose > 0)
  }

  var flags: [String: String] { files.merging(["profile": profile, "store": store].compactMapValues(\.self)) { $1 } }

  fileprivate var files: [String: String] {
    ["config": config, "cache_file": cacheFile, "ca_file": caFile].compactMapValues(\.self)
  }
}

func refuse(_ mistakes: KeyValuePairs<String, Bool>) throws {
  if let mistake = mistakes.first(where: \.value) { throw ValidationError(mistake.key) }
}

/// Refuses options that were given beside one that excludes them.
func refuse(_ options: KeyValuePairs<String, Bool>, with option: String) throws {
  guard let given = options.first(where: \.value)?.key else { return }
  throw ValidationError("\(option) can't be combined with \(given)")
}

/// Refuses an empty value, which may come from an unset variable in a script.
func checkNotEmpty(_ flags: [String: String?]) throws {
  if let name = flags.filter({ $0.value == "" }).keys.min() { throw ValidationError("\(optionName(name)) is empty") }
}

/// The option for a setting, as the user names it: `--cache-file` for `cache_file`.
func optionName(_ setting: String) -> String {
  let hasIssuer = Invocation.arguments.contains { $0.split(at: "=", maxSplits: 1)[0] == "--issuer" }
  return setting == "authority" && hasIssuer ? "--issuer" : "--" + setting.replacing("_", with: "-")
}

struct AccountOption: ParsableArguments {
  @Option(
    help: "Account to use (username or ID). Default: the current account. [MSAUTH_ACCOUNT]",
    completion: .accounts
  )
  var account: String?

  func validate() throws { try checkNotEmpty(["account": account]) }

  /// Whether an account is the current one, as it always is if none was named.
  func isCurrent(_ account: Account, of client: PublicClientApplication) async -> Bool {
    guard self.account != nil else { return true }
    return (try? await client.account(named: nil))?.id == account.id
  }
}

/// The options of a command that edits the configuration file.
struct FileOptions: ParsableArguments {
  @Option(file: "Configuration file. [MSAUTH_CONFIG]")
  var config: String?

  @Flag(help: .json) var json = false

  @Flag(name: .shortAndLong, help: "Print only errors and prompts.")
  var quiet = false

  func validate() throws {
    try checkNotEmpty(["config": config])
    Console.configure(isQuiet: quiet)
  }
}

/// The options of a command that writes to the configuration file, or to one of its profiles.
struct ProfileOptions: ParsableArguments {
  @Option(help: .value("name", "Write to this profile only."))
  var profile: String?

  @OptionGroup var file: FileOptions

  func validate() throws { try checkNotEmpty(["profile": profile]) }
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

extension CompletionKind {
  /// Evaluated when a shell's script is generated.
  static var accounts: CompletionKind {
    let shell = CompletionShell.requesting ?? .fish
    return .shellCommand("msauth accounts --complete \(shell.rawValue) -- \(shell.typedWords) 2>/dev/null")
  }

  static func values<Value: CaseIterable & RawRepresentable<String>>(of _: Value.Type) -> CompletionKind {
    .list(Value.allCases.map(\.rawValue))
  }
}

extension CompletionShell {
  /// The words before the cursor, as arguments in this shell's completion script.
  fileprivate var typedWords: String {
    switch self {
    // Bash's words are split at = and : too.
    case .bash: #""$COMP_LINE""#
    case .zsh: #""${words[@]}""#
    default: "(commandline -opc)"
    }
  }

  /// The typed options that choose the accounts; `nil` if the shell would expand one of their values.
  func options(among words: [String]) throws -> SharedOptions? {
    let words = self == .bash ? words.flatMap { $0.split(separator: " ").map(String.init) } : words
    let home = XDGDirectories.home(in: ProcessInfo.processInfo.environment) ?? "~"
    let options = Invocation.repeating(Invocation.providerOptions, in: words).map { word in
      word.utf8.starts(with: "~/".utf8) ? home + word.dropFirst() : word
    }
    return options.allSatisfy(\.isPlainWord) ? try SharedOptions.parse(options) : nil
  }

  /// The word as this shell's completion script expects it; `nil` if it can't be shown, or would be an option.
  func candidate(_ word: String) -> String? {
    guard word.isIdentical(to: word.printable()), word.utf8.first != UInt8(ascii: "-") else { return nil }
    return switch self {
    // Bash expands the words of `compgen -W`, and doesn't quote some characters on the command line, such as $ and `.
    case .bash:
      word.utf8.allSatisfy { $0 >= 0x80 || $0.isASCIIAlphanumeric || "@%+=:,./_-#' ".utf8.contains($0) }
        ? word.shellQuoted : nil
    // In zsh, a description follows a colon.
    case .zsh: word.replacingBytes("\\", with: "\\\\").replacingBytes(":", with: "\\:")
    default: word
    }
  }
}

/// Scopes, separated by spaces.
struct ScopeArgument: ExpressibleByArgument {
  let names: [String]

  init?(argument: String) {
    let words = argument.split(separator: " ").map(String.init)
    names = words.isEmpty ? [argument] : words
    guard words.contains(where: Self.isList) else { return }
    let list = argument.split { $0 == " " || $0 == "," }.joined(separator: " ")
    let message = "scope \(argument.printable(limit: 80).quoted) has a comma"
    ArgumentError.report(message, hint: "separate scopes by spaces: \(command: [list])")
    return nil
  }

  /// Whether each part between commas could be a scope; a single scope such as `project:read,write` may have a comma.
  private static func isList(_ word: String) -> Bool {
    let parts = word.split(at: ",")
    guard parts.count > 1 else { return false }
    return parts.count { $0.contains(":") } > 1
      || word.replacing("://", with: "/").utf8.allSatisfy { $0.isASCIIAlphanumeric || ",./_-".utf8.contains($0) }
  }
}

extension [ScopeArgument] { var names: [String] { flatMap(\.names) } }

/// The words that an option takes.
protocol Choice: ExpressibleByArgument, CaseIterable, RawRepresentable<String> {
  static var option: String { get }
}

extension Choice {
  static var option: String { "--output" }
  /// None for the help, whose text names them.
  static var allValueStrings: [String] { [] }
  static var defaultCompletionKind: CompletionKind { .values(of: Self.self) }

  init?(argument: String) {
    guard let choice = Self(rawValue: argument) else {
      let message = "unknown value \(argument.printable(limit: 40).quoted) for \(Self.option)"
      let words = Self.allCases.map(\.rawValue).joined(separator: ", ")
      ArgumentError.report(message, hint: "choose one of \(words)")
      return nil
    }
    self = choice
  }
}

/// Stored until parsing fails, because ArgumentParser's own errors have no hint.
enum ArgumentError {
  static let error = Mutex<AuthenticationError?>(nil)

  static func report(_ message: String, hint: Hint) { error.withLock { $0 = .usage(message, hint: hint) } }
}

extension Settings {
  init(_ options: SharedOptions, _ account: AccountOption? = nil, needsClientID: Bool = true) throws {
    self = try Settings(Layer(options, account), needsClientID: needsClientID)
    apply(options.common)
  }

  /// For MCP commands: the server names its provider.
  init(withoutClientID options: CommonOptions) throws {
    self = try Settings(Layer(flags: options.flags), needsClientID: false)
    apply(options)
  }

  private mutating func apply(_ options: CommonOptions) {
    application.applicationName = nil
    StatusLine.isOn.store(showsCountdown, ordering: .relaxed)
    let level = options.verbose
    application.log = { entry in
      // The command reports errors itself.
      if entry.level == .warning { Console.warning(entry.message) } else if level > 0 { Console.say(entry.message) }
    }
    application.logLevel = level == 0 ? .warning : level == 1 ? .info : .verbose
    // The user at the terminal may see names.
    application.logMasking = .secretsOnly
  }
}

extension Layer {
  init(_ options: SharedOptions, _ account: AccountOption?) {
    var flags = options.flags
    flags["account"] = account?.account
    self.init(flags: flags)
    self["authority"] = self["authority"].map { Sourced($0.value, .flag(optionName("authority"))) }
  }
}
