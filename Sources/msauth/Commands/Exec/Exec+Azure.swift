import Glibc
import MSAuth
import MSAuthAzure
import MSAuthPreferences
import MSAuthTransport
import MSAuthUnix

// `msauth exec --azure`: a process beside the command serves the endpoint until the command ends.
extension Exec {
  /// Runs the command in place of this process, once the endpoint is served.
  func execWithEndpoint(keeping descriptors: Set<Int32>) async throws {
    let session = try await session()
    let configuration = session.client.configuration
    // az, azd and keyring are found only after the links are made.
    let isLink = StandIn.tools.contains(command[0])
    let program = isLink ? nil : try program(configuration.environment)
    let account = try await session.account()
    let directory = try ProcessDirectory(for: .exec, hint: runtimeDirectoryHint)
    defer { directory.remove() }
    try StandIn.addLinks(in: directory.path)
    let variables = try await BackgroundEndpoint.start(Invocation.rerunArguments(as: account), keeping: directory.lock)
    let changes =
      variables.map { "\($0.name)=\($0.value)" } + environment(of: configuration, account, links: directory.path)
    let path = program ?? "\(directory.path)/\(command[0])"
    throw launch(path, changing: changes, keeping: descriptors)
  }

  /// Writes the variables to standard output, then serves the endpoint while the command runs.
  func serveEndpoint() async throws {
    let session = try await session()
    let server = try TokenServer(
      client: session.client,
      account: try await session.client.account(named: session.parameters.username),
      interaction: session.parameters.interaction,
      describe: { error, scope in
        // The command may write to the terminal, too.
        StatusLine.end()
        return error.endpointMessage(for: scope)
      }
    )
    try BackgroundEndpoint.reportAndDetach(server.variables)
    _ = try await server.run()
  }

  /// The changes to the command's environment besides the endpoint's variables.
  private func environment(of configuration: ClientConfiguration, _ account: Account, links: String) -> [String] {
    let environment = configuration.environment
    var changes = ["PATH=\(links):\(environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin")"]
    // Programs named az, azd, keyring and msauth find the same account.
    changes += ExecEnvironment.variables(Settings.absolute(options.flags), for: account, configuration)
    // A flag for the file store overrides a variable that chooses another store.
    if options.cacheFile != nil, options.store == nil { changes.append("MSAUTH_STORE") }
    // Removed, since they make SDKs look for Service Fabric and Azure Machine Learning.
    changes += ["IDENTITY_SERVER_THUMBPRINT", "MSI_SECRET"]
    // A proxy must not see the secret. Programs read the lowercase name first, so both get the same exemptions.
    let exemptions = NetworkSettings(environment).noProxy
    for name in ["no_proxy", "NO_PROXY"] where exemptions != "*" {
      changes.append("\(name)=" + [exemptions, "127.0.0.1"].filter { !$0.isEmpty }.joined(separator: ","))
    }
    return changes
  }
}
