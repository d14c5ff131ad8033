import ArgumentParser
import FoundationEssentials
import Glibc
import MSAuth
import MSAuthAzure
import MSAuthDesktop
import MSAuthPreferences
import MSAuthUnix

/// Docker's credential helper protocol, and its configuration.
struct DockerCredential: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "docker-credential",
    abstract: "Sign Docker and Podman in to Azure Container Registry.",
    discussion: """
      msauth docker-credential setup REGISTRY makes Docker call docker-credential-msauth for that registry, and no other; \
      --remove undoes it. Docker calls it with get, store, erase or list. Settings come from the configuration file and \
      the environment.

      EXAMPLES
        $ msauth docker-credential setup contoso.azurecr.io
        $ docker pull contoso.azurecr.io/image
      """
  )

  @Argument(help: "setup; or get, store, erase or list, as Docker calls it.")
  var operation: String

  @Argument(help: "With setup: the registry, such as contoso.azurecr.io.")
  var registry: String?

  @Flag(help: "With setup: undo the setup.")
  var remove = false

  @Flag(help: "With setup: accept a registry outside Azure's domains.")
  var yes = false

  func validate() throws {
    if operation == "setup" {
      guard let registry else { throw ValidationError("setup needs a registry, such as contoso.azurecr.io") }
      do { _ = try ContainerRegistry(registry) } catch { throw ValidationError(error.reason) }
    } else if registry != nil || remove || yes {
      throw ValidationError("\(operation.printable(limit: 40)) takes no registry and no options")
    }
  }

  func run() async throws {
    switch operation {
    case "setup": try await setUp()
    case "get": try await get()
    case "list": try Console.result(object: DockerConfiguration().hosts.map { ($0, ContainerRegistry.username) })
    // docker logout; nothing is stored for Docker.
    case "erase": _ = try await Self.input()
    case "store": throw try Self.failure("msauth signs in to this registry; docker login isn't needed")
    default: throw AuthenticationError.usage("unknown operation \(operation.printable(limit: 40).quoted)")
    }
  }

  private func setUp() async throws {
    guard let name = registry, let registry = try? ContainerRegistry(name) else { return }
    let host = registry.host
    if !registry.isTrusted, !remove, !yes, try !DockerConfiguration().hasOtherHelper(for: host),
      try !Settings(needsClientID: false).dockerRegistries.contains(host)
    {
      try await Self.confirm(host)
    }
    // The confirmation ends even if Docker calls another helper.
    if remove, !registry.isTrusted { try await Self.record(host, isConfirmed: false) }
    let isChanged = try DockerConfiguration.set(host, removing: remove)
    if remove { return }
    if !registry.isTrusted { try await Self.record(host, isConfirmed: true) }
    let path = ProcessInfo.processInfo.environment["PATH"]
    if isChanged, findProgram(OtherName.dockerCredential.rawValue, path: path) == nil {
      Console.hint("put docker-credential-msauth on the PATH, as a link to msauth")
    }
  }

  /// Asks whether a registry may get a token that manages Azure, since its name may be a typo.
  private static func confirm(_ host: String) async throws {
    let message =
      "\(host) isn't in a domain of Azure Container Registry, and would get a token for Azure Resource Manager"
    guard Questions.canBeAsked else {
      throw AuthenticationError.usage(message, reason: "registry_untrusted")
        .with(hint: "check the name, such as contoso.azurecr.io; for a registry with a domain of its own, add --yes")
    }
    Questions.explain("\(message).")
    guard try await Questions.confirm("Continue", default: false) else {
      throw Questions.declined("nothing was written")
    }
  }

  /// Docker's file may come with a project, so msauth's own has the registries that were confirmed.
  private static func record(_ host: String, isConfirmed: Bool) async throws {
    _ = try await BackgroundThread.run { cancellation in
      try ConfigurationDraft.write(cancellation) {
        let others = try Settings(needsClientID: false).dockerRegistries.filter { $0 != host }
        let registries = isConfirmed ? others + [host] : others
        let words = registries.isEmpty ? nil : registries
        return try ConfigurationDraft(setting: "docker_registries", to: words, profile: nil, path: nil)
      }
    }
  }

  private func get() async throws {
    let name = try await Self.input()
    // Docker then continues without credentials.
    guard let registry = try? ContainerRegistry(name), try DockerConfiguration().hosts.contains(registry.host) else {
      throw try Self.failure("credentials not found in native keychain")
    }
    do {
      let session = try ToolSession()
      guard registry.isTrusted || session.settings.dockerRegistries.contains(registry.host) else {
        throw AuthenticationError(.invalidConfiguration, "\(registry.host) isn't confirmed as a registry of Azure")
          .with(hint: "run \(command: ["msauth", "docker-credential", "setup", registry.host])")
      }
      let result = try await session.token([ContainerRegistry.scope])
      let password = try await registry.password(
        for: result.bearerToken(),
        tenant: result.tenantID ?? result.account.tenant,
        configuration: session.settings.application
      )
      try Console.result(object: [
        ("ServerURL", name), ("Username", ContainerRegistry.username), ("Secret", password),
      ])
    } catch let error as AuthenticationError {
      throw try Self.failure(error.oneLine, error)
    }
  }

  /// Docker shows the standard output of a helper that fails.
  private static func failure(_ message: String, _ error: AuthenticationError? = nil) throws -> CommandFailure {
    try Console.result(message)
    return CommandFailure(error, status: .failed)
  }

  private static func input() async throws -> String {
    do {
      return try await readInputAbandoning(at: "-", limit: 1 << 16).firstLine
    } catch is FileError {
      return ""
    }
  }
}

/// Docker's `config.json`; its `credHelpers` member lists the registries that were set up.
private struct DockerConfiguration {
  private let helpers: JSONValue.Object?

  private static let member = "credHelpers"
  private static let helper: JSONValue = "msauth"

  private static var path: String {
    get throws(AuthenticationError) {
      let directory = ProcessInfo.processInfo.environment["DOCKER_CONFIG"] ?? ""
      return directory.isEmpty ? try Setup.home + "/.docker/config.json" : directory + "/config.json"
    }
  }

  init() throws {
    let path = try Self.path
    do throws(FileError) {
      let document = access(path, F_OK) == 0 ? try readTrustedFile(at: path, limit: Setup.sizeLimit) : []
      let object = try? JSONValue(parsing: document, options: .strict(maximumSize: Setup.sizeLimit))
      helpers = object?[Self.member]?.object
    } catch {
      throw Setup.failure("Docker's configuration can't be read: \(error)")
    }
  }

  func hasOtherHelper(for host: String) -> Bool { helpers?[host].map { $0 != Self.helper } ?? false }

  var hosts: [String] { helpers?.filter { $0.value == Self.helper }.keys ?? [] }

  /// Adds or removes a registry; returns whether the file changed.
  static func set(_ host: String, removing: Bool) throws -> Bool {
    try Setup.change(path, "msauth for \(host)", [member, host], to: helper, removing: removing) { present in
      if present == helper { return nil }
      return Setup.failure(
        "Docker calls another helper for \(host): \(present.serializedString().printable(limit: 80))"
      )
    }
  }
}
