import ArgumentParser
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

extension Layer {
  init(config: String?, profile: String? = nil) {
    self.init(flags: ["config": config, "profile": profile].compactMapValues(\.self))
  }
}
