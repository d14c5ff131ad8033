import ArgumentParser
import MSAuth

/// The options of every command.
struct SharedOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The application (client) id. [MSAUTH_CLIENT_ID]", valueName: "id"))
  var clientID: String?

  @Option(help: ArgumentHelp("Where to sign in; default Microsoft, any account. [MSAUTH_AUTHORITY]", valueName: "url"))
  var authority: String?

  @Option(help: ArgumentHelp("aad, b2c, ciam, adfs or oidc. [MSAUTH_AUTHORITY_TYPE]", valueName: "type"))
  var authorityType: String?

  @Option(help: ArgumentHelp("A profile of the configuration file. [MSAUTH_PROFILE]", valueName: "name"))
  var profile: String?

  @Option(help: ArgumentHelp("The configuration file. [MSAUTH_CONFIG]", valueName: "file"))
  var config: String?

  @Option(help: ArgumentHelp("auto, secret-service, file or memory. [MSAUTH_STORE]", valueName: "store"))
  var store: String?

  @Option(help: ArgumentHelp("The token cache, for the file store. [MSAUTH_CACHE_FILE]", valueName: "file"))
  var cacheFile: String?

  @Flag(help: "Print one JSON object.")
  var json = false

  @Flag(name: .short, help: "Tell each step on stderr; twice for more. Never a secret.")
  var verbose: Int
}
