import ArgumentParser
import Foundation
import MSAuthCore
import MSAuthUnix

@main
struct MSAuthDemo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "msauth-demo",
    abstract: "Try msauth against an identity provider on this computer.",
    discussion: """
      EXAMPLES
        $ msauth-demo serve -- bash
        $ msauth-demo serve
        $ msauth login --browser 'msauth-demo walk %s'

      No account is needed, and nothing leaves this computer: a shell in the demo has its own msauth configuration and \
      tokens.
      """,
    version: Product.version,
    subcommands: [Serve.self, Walk.self],
    defaultSubcommand: Serve.self
  )

  static func main() async {
    let arguments = Array(ProcessArguments.all.dropFirst())
    do {
      var command = try parseAsRoot(arguments)
      if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
    } catch {
      let code = exitCode(for: error)
      // The parser throws the help and the version too.
      if code == .success || error is ExitCode { exit(withError: error) }
      report("error: \(message(for: error).startingLowercase)")
      if code == .validationFailure { report("hint: \(hint(for: arguments))") }
      exit(withError: code)
    }
  }

  private static func hint(for arguments: [String]) -> String {
    if arguments.first == "walk" { return "see msauth-demo walk --help" }
    let words = Array(arguments.drop { $0 == "serve" })
    guard let first = words.first, !first.hasPrefix("-"), !words.contains("--") else {
      return "see msauth-demo serve --help"
    }
    return "write -- before the command: \((["msauth-demo", "serve", "--"] + words).shellCommand)"
  }

  static func report(_ message: String) {
    FileHandle.standardError.write(Data("msauth-demo: \(message)\n".utf8))
  }
}
