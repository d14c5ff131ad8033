import ArgumentParser
import MSAuth
import MSAuthPreferences

/// The options of a command that reads or edits the configuration file alone.
struct ConfigurationFileOptions: MessageOptions {
  @Option(file: "Configuration file. [MSAUTH_CONFIG]")
  var config: String?

  @Flag(help: .json) var json = false

  @OptionGroup var quietOption: QuietOption

  var messages: Console.Messages { quietOption.messages }

  func validate() throws { try checkNotEmpty(["config": config]) }
}

/// The options of a command that writes settings, into a profile if one is named.
struct ProfileOptions: MessageOptions {
  @Option(help: .value("name", "Change only this profile."), completion: .profiles)
  var profile: String?

  @OptionGroup var fileOptions: ConfigurationFileOptions

  var messages: Console.Messages { fileOptions.messages }

  func validate() throws { try checkNotEmpty(["profile": profile]) }
}

extension Layer {
  init(config: String?, profile: String? = nil) {
    self.init(flags: ["config": config, "profile": profile].compactMapValues(\.self))
  }
}
