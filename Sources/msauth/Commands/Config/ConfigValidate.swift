import ArgumentParser
import MSAuth
import Preferences
import Unix

/// `msauth config validate`: all mistakes of the configuration file.
struct ConfigValidate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check the configuration file, and print each mistake with its place.",
    discussion: """
      The file is checked alone and with each of its profiles. Nobody is asked whether the client ID is registered: \
      msauth doctor does that. Exit code 78 when there is a mistake.
      """
  )

  @OptionGroup var options: FileOptions

  func run() async throws {
    Console.configure(isQuiet: options.quiet, isVerbose: false)
    let config = options.config
    let check = try await BackgroundThread.run { _ in try ConfigurationCheck(path: config) }
    struct Result: Encodable { let configuration: String, mistakes: [ErrorOutput] }
    let mistakes = check.mistakes.map { ErrorOutput($0, exit: ExitStatus.configuration.rawValue) }
    let output = Output(Result(configuration: check.path, mistakes: mistakes))
    let path = check.path.printable()
    guard !check.mistakes.isEmpty else {
      if options.json { return try output.print() }
      return Console.notice("\(path) has no mistakes")
    }
    if !options.json {
      for mistake in check.mistakes {
        try Console.result(mistake.message.printable(limit: 2000))
        if !mistake.hasNoHintOfItsOwn, let hint = mistake.hint {
          try Console.result("  \(Style.hint("hint:", on: .result)) \(hint.commandLine)")
        }
      }
    }
    let count = check.mistakes.count
    let error = AuthenticationError(
      .invalidConfiguration,
      "\(path) has \(count) mistake\(count == 1 ? "" : "s")",
      reason: "configuration_file"
    )
    throw CommandFailure(status: .configuration, error: error, output: output)
  }
}
