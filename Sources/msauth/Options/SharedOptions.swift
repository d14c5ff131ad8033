import ArgumentParser
import Core
import MSAuth
import Preferences

/// The options of every command that needs a configuration.
struct SharedOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The application (client) ID. [MSAUTH_CLIENT_ID]", valueName: "id"))
  var clientID: String?

  @Option(
    help: ArgumentHelp("The authority's URL; default Microsoft, any account. [MSAUTH_AUTHORITY]", valueName: "url")
  )
  var authority: String?

  @Option(
    help: ArgumentHelp(
      "Microsoft's tenant, its ID or domain, instead of an authority. [MSAUTH_TENANT]",
      valueName: "tenant"
    )
  )
  var tenant: String?

  @Option(
    help: ArgumentHelp("aad, b2c, ciam, adfs or oidc. [MSAUTH_AUTHORITY_TYPE]", valueName: "type"),
    completion: .values(of: Authority.Kind.self)
  )
  var authorityType: String?

  @Option(help: ArgumentHelp("A profile of the configuration file. [MSAUTH_PROFILE]", valueName: "name"))
  var profile: String?

  @Option(help: ArgumentHelp("The configuration file. [MSAUTH_CONFIG]", valueName: "file"), completion: .file())
  var config: String?

  @Option(
    help: ArgumentHelp("auto, secret-service, file or memory. [MSAUTH_STORE]", valueName: "store"),
    completion: .values(of: StoreChoice.self)
  )
  var store: String?

  @Option(
    help: ArgumentHelp("The token cache file, for the file store. [MSAUTH_CACHE_FILE]", valueName: "file"),
    completion: .file()
  )
  var cacheFile: String?

  @Option(
    help: ArgumentHelp("A PEM file of trusted certificate authorities. [MSAUTH_CA_FILE]", valueName: "file"),
    completion: .file()
  )
  var caFile: String?

  @Flag(name: .shortAndLong, help: "Print no notices, only errors and what a person has to do.")
  var quiet = false

  @Flag(name: .short, help: "Verbose (-vv for more). Never logs secrets.")
  var verbose: Int

  func validate() throws {
    if quiet, verbose > 0 { throw ValidationError("-q and -v cannot be combined") }
    // An unset variable of a script.
    if let name = flags.filter(\.value.isEmpty).keys.min() {
      throw ValidationError("--\(name.replacing("_", with: "-")) is empty")
    }
  }

  /// The flags that were given, by the names of their keys.
  var flags: [String: String] {
    let flags = [
      "client_id": clientID, "authority": authority, "tenant": tenant, "authority_type": authorityType,
      "profile": profile, "config": config, "store": store, "cache_file": cacheFile,
      "ca_file": caFile,
    ]
    return flags.compactMapValues(\.self)
  }
}

extension ArgumentHelp {
  /// The help of `--json`, which each command with a result of its own has; a group for it would make every start slower.
  static let json: ArgumentHelp = "Print one JSON object."
}

extension CompletionKind {
  /// The usernames of the accounts that are signed in.
  static let accounts = CompletionKind.shellCommand("msauth accounts --quiet 2>/dev/null")

  /// The words that stand for the cases of an enumeration.
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
        "\(option): unknown value \(word.printable(limit: 40).quoted)",
        reason: "option_invalid",
        hint: "it is one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))"
      )
    }
    self = choice
  }
}

/// The option of every command that is about one account.
struct AccountOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The account: username or identifier; default the current one. [MSAUTH_ACCOUNT]",
      valueName: "account"
    ),
    completion: .accounts
  )
  var account: String?

  func validate() throws {
    // An unset variable of a script would mean the current account.
    if account?.isEmpty == true { throw ValidationError("--account is empty") }
  }

  /// Whether an account is the current one: it is unless it was named for this call alone.
  func isCurrent(_ account: Account, of application: PublicClientApplication) async -> Bool {
    guard self.account != nil else { return true }
    return (try? await application.isCurrent(account)) == true
  }
}
