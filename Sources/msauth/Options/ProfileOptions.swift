import ArgumentParser

/// The options of a command that writes settings, into a profile if one is named.
struct ProfileOptions: MessageOptions {
  @Option(help: .value("name", "Change only this profile."), completion: .profiles)
  var profile: String?

  @OptionGroup var fileOptions: ConfigurationFileOptions

  var messages: Console.Messages { fileOptions.messages }

  func validate() throws { try checkNotEmpty(["profile": profile]) }
}
