import ArgumentParser
import MSAuthPreferences

/// The options for a program that runs `msauth token`.
struct SetupOptions: MessageOptions {
  @Option(help: .scope) var scope: [ScopeArgument] = []

  @OptionGroup var mode: SetupMode
  @OptionGroup(title: AccountOption.title) var accountOption: AccountOption
  @OptionGroup(title: ProviderOptions.title) var providerOptions: ProviderOptions

  /// Rejects options that --remove would ignore, also the command's own.
  func rejectIgnored(_ ignored: KeyValuePairs<String, Bool>, _ needed: [String], printsRemoval: Bool = false) throws {
    let common: KeyValuePairs = ["--scope": !scope.isEmpty, "--account": accountOption.account != nil]
    for options in [common, ignored] { try mode.rejectIgnored(options, needed, printsRemoval: printsRemoval) }
  }

  var messages: Console.Messages { providerOptions.messages }

  var settings: Settings {
    get throws { try Settings(providerOptions, accountOption) }
  }
}
