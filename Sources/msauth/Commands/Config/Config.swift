import ArgumentParser
import MSAuthPreferences

struct Config: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show, check and change the configuration.",
    discussion: """
      msauth init sets up the provider and the application; these commands read and change single settings. See \
      msauth-config(5) for all keys.

      EXAMPLES
        $ msauth config show
        $ msauth config set timeout 120
      """,
    subcommands: [
      ConfigShow.self, ConfigGet.self, ConfigSet.self, ConfigUnset.self, ConfigProfiles.self, ConfigValidate.self,
      ConfigBrowser.self,
    ]
  )
}

extension CompletionKind {
  static var configurationKeys: CompletionKind { .list(ConfigurationKey.names + ["issuer"]) }
}
