import ArgumentParser
import MSAuth
import MSAuthAzure
import MSAuthPreferences

struct SetupDocker: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "docker",
    abstract: "Let Docker and Podman sign in to an Azure Container Registry.",
    discussion: """
      Makes Docker run docker-credential-msauth, which is msauth docker-credential, for that registry and no other. A copy \
      of Docker's config.json is kept beside it.

      EXAMPLES
        $ msauth setup docker contoso.azurecr.io
        $ docker pull contoso.azurecr.io/image
      """
  )

  @Argument(help: "Registry, such as contoso.azurecr.io.")
  var registry: String

  @OptionGroup var mode: SetupMode

  @Flag(help: "Accept a registry outside Azure's domains.")
  var yes = false

  @OptionGroup var options: QuietOption

  func validate() throws {
    try mode.rejectIgnored(["--yes": yes], [registry])
    do { _ = try ContainerRegistry(registry) } catch {
      let host = registry.trimmingPrefix(#/https?:\/\//#).prefix { $0 != "/" }
      let hint: Hint? = (try? ContainerRegistry(String(host))).map { "did you mean \(command: [$0.host])?" }
      throw AuthenticationError.usage(error.reason, hint: hint)
    }
  }

  func run() async throws {
    let registry = try ContainerRegistry(registry)
    let host = registry.host
    if mode.remove {
      // If one file can't be changed, the other one is changed anyway.
      var failures: [any Error] = []
      do { _ = try await DockerConfiguration.set(host, removing: true) } catch { failures.append(error) }
      do { if !registry.isTrusted { try await Self.record(host, isConfirmed: false) } } catch { failures.append(error) }
      if let failure = CommandFailure(reporting: failures.map(AuthenticationError.init(wrapping:))) { throw failure }
      return
    }
    if mode.print { return try Console.result(DockerConfiguration.text(for: host)) }

    // 1. The settings, and the user's confirmation.
    let client = try ToolClient()
    if !yes, !client.settings.trusts(registry), try !DockerConfiguration().hasOtherHelper(for: host) {
      try await Self.confirm(host)
    }

    // 2. Docker's configuration, and msauth's own.
    let isChanged = try await DockerConfiguration.set(host, removing: false)
    if !registry.isTrusted { try await Self.record(host, isConfirmed: true) }
    if isChanged {
      try Console.result(DockerConfiguration.text(for: host))
      Setup.noticeMissingLink(of: StandIn.dockerCredential.rawValue, for: "Docker")
    }

    // 3. A token, as Docker will get it.
    try await Setup.checkToken(for: "Docker", of: host) {
      _ = try await DockerCredential.password(for: registry, client)
    }
  }

  /// Prompts before a registry gets a token that manages Azure, since its name may be a typo.
  private static func confirm(_ host: String) async throws {
    let message =
      "\(host) isn't in a domain of Azure Container Registry, and would get a token for Azure Resource Manager"
    let hint: Hint = "check the name, such as contoso.azurecr.io; for a registry with a custom domain, add --yes"
    if Questions.canBeAsked { Questions.explain("\(message).") }
    try await Questions.require(
      "Continue",
      ifDeclined: "nothing was written",
      unprompted: .usage(message, reason: "registry_untrusted", hint: hint)
    )
  }

  /// Records a confirmed registry in msauth's own file, since Docker's may come with a project.
  private static func record(_ host: String, isConfirmed: Bool) async throws {
    _ = try await ConfigurationDraft.write {
      let others = try Settings(needsClientID: false).dockerRegistries.filter { $0 != host }
      let registries = isConfirmed ? others + [host] : others
      let values = registries.isEmpty ? nil : registries
      return try ConfigurationDraft(setting: "docker_registries", to: values, profile: nil, path: nil)
    }
  }
}
