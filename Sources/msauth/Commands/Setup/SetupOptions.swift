import ArgumentParser
import MSAuth
import MSAuthPreferences

/// Whether to set another program up, print its configuration, or undo the setup.
struct SetupMode: ParsableArguments {
  @Flag(help: "Undo the setup.")
  var remove = false

  @Flag(help: "Print what would be written or run, and change nothing.")
  var print = false

  /// Rejects options that --remove would ignore; `needed` are the arguments that it needs.
  func rejectIgnored(_ ignored: KeyValuePairs<String, Bool>, _ needed: [String], printsRemoval: Bool = false) throws {
    guard remove else { return }
    let hint: Hint = "run \(command: ["msauth"] + Invocation.commandWords + needed + ["--remove"])"
    try reject(["--print": print && !printsRemoval], with: "--remove", hint: hint)
    try reject(ignored, with: "--remove", hint: hint)
  }
}

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
