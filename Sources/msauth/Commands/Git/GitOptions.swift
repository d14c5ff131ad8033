import ArgumentParser
import MSAuth
import MSAuthPreferences

/// The options of the credential helper, which `msauth setup git` writes into git's configuration.
struct GitOptions: MessageOptions {
  enum AuthType: String, ChoiceArgument {
    case auto, basic, bearer
  }

  @Option(help: .scope) var scope: [ScopeArgument] = []

  @Option(help: .value("name", "Username that the server expects, if it isn't the account's."))
  var username: String?

  @Option(
    help: .value(
      "type",
      "basic: send the token as a password; bearer: as a bearer token (git 2.46). Default: auto, as the server offers."
    )
  )
  var authType: AuthType?

  @Flag(help: .interactive) var interactive = false

  @OptionGroup(title: AccountOption.title) var accountOption: AccountOption
  @OptionGroup(title: BrowserOptions.title) var browsing: BrowserOptions
  @OptionGroup(title: ProviderOptions.title) var providerOptions: ProviderOptions

  func validate() throws {
    try browsing.rejectIgnored(mayOpen: interactive)
    if let username, !Self.isUserID(username) {
      throw AuthenticationError.usage("--username is empty, or has a colon or a control character")
    }
  }

  /// Whether HTTP's Basic scheme can send a user ID (RFC 7617 §2).
  static func isUserID(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f && $0 != UInt8(ascii: ":") }
  }

  var messages: Console.Messages { providerOptions.messages }

  var settings: Settings {
    get throws { try Settings(providerOptions, accountOption) }
  }

  /// The scopes of a server's token, which must not be Microsoft's default ones.
  func scopes(for origin: String, _ settings: Settings) throws -> [String] {
    let scopes = scope.names
    if settings.usesGraphToken(scopes), GitServer.isAzureDevOps(origin) {
      return [GitServer.azureDevOpsScope]
    }
    try settings.requireScope(scopes, for: "a git server", hint: "add the server's --scope")
    return scopes
  }
}
