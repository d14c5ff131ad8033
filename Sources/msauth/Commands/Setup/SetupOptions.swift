import ArgumentParser
import MSAuthPreferences

/// What to do with another program's setup.
struct SetupMode: ParsableArguments {
  @Flag(help: "Undo the setup.")
  var remove = false

  @Flag(help: "Print what would be written or run, and change nothing.")
  var print = false

  /// Rejects options that --remove would ignore.
  func check(_ ignored: KeyValuePairs<String, Bool>) throws { if remove { try reject(ignored, with: "--remove") } }
}

/// The options for a program that runs `msauth token`.
struct SetupOptions: ParsableArguments {
  @Option(help: .scope) var scope: [ScopeArgument] = []

  @OptionGroup var mode: SetupMode
  @OptionGroup(title: "Account") var accountOption: AccountOption
  @OptionGroup(title: "Provider, store and messages") var shared: SharedOptions

  func validate() throws { try mode.check(["--scope": !scope.isEmpty, "--account": accountOption.account != nil]) }

  var settings: Settings {
    get throws { try Settings(shared, accountOption) }
  }
}
