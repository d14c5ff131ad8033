import ArgumentParser
import FoundationEssentials
import MSAuth
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

  /// Reports the variables that override these keys of the file.
  static func noticeVariables(overriding keys: [String]) {
    let environment = ProcessInfo.processInfo.environment
    for variable in EffectiveSettings.variables(overriding: keys, in: environment) {
      Console.notice("\(variable) is set and overrides the file")
    }
  }

  /// Reports that the profile in use overrides these keys, which were set for no profile.
  static func noticeProfile(overriding keys: [String], at path: String?) {
    guard let settings = try? EffectiveSettings(Layer(config: path)),
      let override = settings.profileOverride(of: keys)
    else { return }
    Console.notice("the profile in use overrides this: \"\(override.key)\" is set")
    let unset = Invocation.msauth("config", "unset", "profile")
    Console.suggest("to change it in the profile, add --profile NAME; to use no profile, run \(command: unset)")
  }
}

extension CompletionKind {
  static var configurationKeys: CompletionKind { .list(ConfigurationKey.names + ["issuer"]) }

  /// The choices of the key among the typed words.
  static let configurationValues: CompletionKind = .custom { words, _, _ in
    words.firstNonNil { try? ConfigurationKey($0) }?.choices ?? []
  }
}
