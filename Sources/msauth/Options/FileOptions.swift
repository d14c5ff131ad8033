import ArgumentParser

/// The options of a command that is about the configuration file itself.
struct FileOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The configuration file. [MSAUTH_CONFIG]", valueName: "file"), completion: .file())
  var config: String?

  @Flag(help: .json)
  var json = false

  @Flag(name: .shortAndLong, help: "Print no notices, only errors and what a person has to do.")
  var quiet = false

  func validate() throws {
    if config?.isEmpty == true { throw ValidationError("--config is empty") }
  }
}

/// The profile that a command changes.
struct ProfileOption: ParsableArguments {
  @Option(help: ArgumentHelp("Write a profile of that name, and leave the rest as it is.", valueName: "name"))
  var profile: String?

  func validate() throws {
    if profile == "" { throw ValidationError("--profile needs a name") }
  }
}
