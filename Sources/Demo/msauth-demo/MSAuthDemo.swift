import ArgumentParser
import DemoProvider
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

/// A browser for computers without a display: `msauth login --browser 'msauth-demo walk %s'`.
struct Walk: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "walk",
    abstract: "Open an address of the provider and press the buttons of its pages, as a user would in a browser.",
    discussion: """
      EXAMPLES
        $ msauth login --browser 'msauth-demo walk %s'
        $ msauth login --browser 'msauth-demo walk --user grace %s'

      Prints the title of the last page, and exits with 1 if that page is an error or waits for a code.
      """
  )

  @Argument(help: "The address to open.")
  var address: String

  @Option(help: "The user: ada, alan or grace, or a username. Default: the requested one, or ada.")
  var user: String?

  @Option(help: "The code to enter for another device, as msauth login --device-code prints it.")
  var code: String?

  @Flag(help: "Deny consent.")
  var deny = false

  func validate() throws {
    _ = try userID()
  }

  private func userID() throws -> String? {
    guard let user else { return nil }
    guard let known = DemoUser.named(user) else {
      throw ValidationError("--user must be ada, alan or grace, or one of their usernames")
    }
    return known.id
  }

  func run() async throws {
    let page = try await ScriptedBrowser().walk(from: address, as: userID(), accepts: !deny, userCode: code)
    print(page.title)
    guard page.response.status < 400, !page.requestsCode else { throw ExitCode.failure }
  }
}
