import ArgumentParser

struct SetupGit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "git",
    abstract: "Let git get tokens for a server, as msauth git-credential setup does.",
    discussion: """
      Takes the options of msauth git-credential; --remove undoes the setup.

      EXAMPLES
        $ msauth setup git https://dev.azure.com
      """
  )

  @Argument(parsing: .allUnrecognized, help: "The server, and options.")
  var arguments: [String]

  func run() async throws { try await GitCredential.parse(["setup"] + arguments).run() }
}
