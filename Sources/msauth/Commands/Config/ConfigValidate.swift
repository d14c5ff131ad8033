import ArgumentParser
import MSAuth
import MSAuthPreferences

struct ConfigValidate: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check the configuration file, and print each mistake with its location.",
    discussion: """
      Checks /etc/msauth/config.json and your file, with and without each profile. A setting that names a missing file is \
      a mistake too. The exit status is 78 if there is one. Use msauth doctor to check the client ID's registration.

      EXAMPLES
        $ msauth config validate
      """
  )

  @OptionGroup var options: ConfigurationFileOptions

  func run() async throws {
    let check = try ConfigurationFile.check(at: options.config)
    let mistakes = check.mistakes.map { $0.json(exit: ExitStatus.configuration.rawValue) }
    let output = JSONResult(["configuration": check.path, "mistakes": mistakes])
    let names = check.files.map { $0.printable() }.joined(separator: " and ")
    let files = "\(names) \(check.files.count == 1 ? "has" : "have")"
    if mistakes.isEmpty { return try options.json ? output.print() : Console.notice("\(files) no mistakes") }
    for mistake in check.mistakes where !options.json {
      try Console.result(mistake.message.printable(limit: 2000))
      if let hint = mistake.specificHint {
        try Console.result("  \(Style.resultHint) \(hint.commandLine)")
      }
    }
    let count = mistakes.count == 1 ? "1 mistake" : "\(mistakes.count) mistakes"
    let error = AuthenticationError(.invalidConfiguration, "\(files) \(count)", reason: "configuration_file")
    throw CommandFailure(error, output: output)
  }
}
