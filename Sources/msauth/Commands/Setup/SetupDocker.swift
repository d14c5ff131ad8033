import ArgumentParser

struct SetupDocker: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "docker",
    abstract: "Let Docker sign in to a registry, as msauth docker-credential setup does.",
    discussion: """
      Takes the options of msauth docker-credential; --remove undoes the setup.

      EXAMPLES
        $ msauth setup docker contoso.azurecr.io
      """
  )

  @Argument(parsing: .allUnrecognized, help: "The registry, and options.")
  var arguments: [String]

  func run() async throws { try await DockerCredential.parse(["setup"] + arguments).run() }
}
