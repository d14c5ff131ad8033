import ArgumentParser

/// `msauth config`: shows, checks and changes the configuration.
struct Config: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show, check and change the configuration.",
    discussion: "msauth init chooses provider and application; these read and change single settings.",
    subcommands: [
      ConfigShow.self, ConfigGet.self, ConfigSet.self, ConfigUnset.self, ConfigValidate.self, ConfigBrowser.self,
    ]
  )
}
