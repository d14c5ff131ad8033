import ArgumentParser
import MSAuth
import MSAuthAzure
import MSAuthPreferences
import MSAuthUnix

/// Docker's credential helper protocol.
struct DockerCredential: AsyncParsableCommand {
  enum Operation: String, CheckedArgument {
    case get, store, erase, list

    init(argument: String) throws(AuthenticationError) {
      guard let operation = Self(rawValue: argument) else {
        let message = "unknown operation \(argument.printable(limit: 40).quoted)"
        throw .usage(message, hint: "to set up a registry, run msauth setup docker REGISTRY")
      }
      self = operation
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "docker-credential",
    abstract: "Sign Docker and Podman in to Azure Container Registry.",
    discussion: """
      Docker runs it as docker-credential-msauth with get, store, erase or list, for the registries that msauth setup \
      docker set up. Settings come from the configuration file and the environment.

      EXAMPLES
        $ echo contoso.azurecr.io | msauth docker-credential get
      """
  )

  @Argument(help: "get, store, erase or list.")
  var operation: Operation

  func run() async throws {
    Console.messages = .necessary
    switch operation {
    case .get: try await get()
    case .list: try Console.result(object: DockerConfiguration().hosts.map { ($0, ContainerRegistry.username) })
    // For docker logout; nothing is stored for Docker.
    case .erase: _ = try await Self.readInput()
    case .store: try Self.fail(with: "msauth signs in to this registry; docker login isn't needed")
    }
  }

  private func get() async throws {
    let name = try await Self.readInput()
    guard let registry = try? ContainerRegistry(name), try DockerConfiguration().hosts.contains(registry.host) else {
      try Self.fail(with: Self.notFound)
    }
    do {
      let client = try ToolClient()
      guard client.settings.trusts(registry) else {
        throw AuthenticationError(.invalidConfiguration, "\(registry.host) isn't confirmed as a registry of Azure")
          .with(hint: "run \(command: ["msauth", "setup", "docker", registry.host])")
      }
      let secret = try await Self.password(for: registry, client)
      try Console.result(object: [
        ("ServerURL", name), ("Username", ContainerRegistry.username), ("Secret", secret),
      ])
    } catch let error as AuthenticationError {
      guard error.code == .accountRequired else { try Self.fail(with: error.oneLine, error) }
      // Podman runs every helper on each pull, and fails on any other output.
      Console.error(error)
      try Self.fail(with: Self.notFound, error)
    }
  }

  static func password(
    for registry: ContainerRegistry,
    _ client: ToolClient
  ) async throws(AuthenticationError) -> String {
    func password(_ scope: String) async throws(AuthenticationError) -> String {
      let result = try await client.token([scope])
      return try await registry.password(
        for: result.bearerToken(),
        tenant: result.tenantID ?? result.account.tenant,
        configuration: client.settings.application
      )
    }
    do throws(AuthenticationError) {
      return try await password(ContainerRegistry.scope)
    } catch {
      // The consent may be missing, or the cloud or the registry may not support the scope. Most registries accept
      // Azure Resource Manager's tokens too.
      guard error.provider != nil || error.reason == "registry_refused" else { throw error }
      return try await password(client.cloud.managementScope)
    }
  }

  /// Docker's own message, after which it continues without credentials.
  private static let notFound = "credentials not found in native keychain"

  /// Fails with a message on standard output, which Docker shows.
  private static func fail(with message: String, _ error: AuthenticationError? = nil) throws -> Never {
    try Console.result(message)
    throw CommandFailure(error, status: .failed)
  }

  private static func readInput() async throws -> String {
    do {
      return try await readInputAbandoning(at: "-", limit: 1 << 16).firstLine
    } catch is FileError {
      return ""
    }
  }
}

extension Settings {
  /// Whether the registry gets tokens, because it is in a domain of Azure or the user confirmed it.
  func trusts(_ registry: ContainerRegistry) -> Bool {
    registry.isTrusted || dockerRegistries.contains(registry.host)
  }
}
