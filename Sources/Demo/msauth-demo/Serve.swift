import ArgumentParser
import DemoProvider
import Foundation
import Glibc
import MSAuthCrypto

/// Serves the provider until interrupted, or while a command runs.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve the identity provider until interrupted, or while a command runs.",
    usage: "msauth-demo serve [<options>] [-- <command> …]",
    discussion: """
      EXAMPLES
        $ msauth-demo serve -- bash
        $ msauth-demo serve -- msauth login
        $ msauth-demo serve --fault invalid-iss -- msauth login

      Without a command, prints the settings that make msauth use the provider. A command runs with these settings, and \
      msauth-demo exits with its status. msauth's configuration and tokens are in a directory that is removed at the end.
      """
  )

  @Option(help: "The port on 127.0.0.1; 0 selects a free one. Default: 8420, or the next free one.")
  var port: UInt16?

  @Option(
    name: .customLong("fault"),
    help: ArgumentHelp("A fault of the provider, one of --faults. Can be repeated.", valueName: "name")
  )
  var faults: [Fault] = []

  @Flag(name: .customLong("faults"), help: "List the faults.")
  var listsFaults = false

  @Option(help: ArgumentHelp("The lifetime of access tokens.", valueName: "seconds"))
  var tokenLifetime: Int64 = 3600

  @Option(help: "The algorithm that signs ID tokens, such as ES256.")
  var algorithm: SignatureAlgorithm = .rs256

  @Flag(inversion: .prefixedNo, help: "Whether a refresh token is accepted only once, unlike at Microsoft Entra ID.")
  var rotate = true

  @Flag(help: "Print settings for a plain OpenID provider instead of Microsoft Entra ID.")
  var oidc = false

  @Option(help: ArgumentHelp("Append a line to this file for each request.", valueName: "path"))
  var log: String?

  @Argument(parsing: .postTerminator, help: ArgumentHelp("The command to run.", valueName: "command"))
  var command: [String] = []

  func validate() throws {
    guard tokenLifetime > 0 else { throw ValidationError("--token-lifetime must be more than 0") }
  }

  func run() async throws {
    if listsFaults { return Self.listFaults() }
    // 1. The provider, and a place for msauth's files.
    let provider = try await start(providerOptions())
    let environment = try DemoEnvironment(provider, usesOIDC: oidc)

    // 2. The command, or instructions for another terminal.
    let status: Int32
    do {
      defer { environment.remove() }
      if command.isEmpty {
        print(instructions(provider, environment))
        // stdout may be a pipe, which another program reads while this one serves.
        fflush(nil)
        status = await 128 + waitForSignal(SIGINT, SIGTERM, SIGHUP)
      } else {
        if isatty(STDERR_FILENO) == 1 { FileHandle.standardError.write(Data((welcome(provider) + "\n").utf8)) }
        status = try await DemoCommand(arguments: command, environment: environment.forCommand).run()
      }
    }
    await provider.stop()
    throw ExitCode(status)
  }

  private static func listFaults() {
    let explanation = "Faults and unusual behavior, many named after modules of OpenID's conformance tests:\n"
    FileHandle.standardError.write(Data(explanation.utf8))
    Fault.allCases.map(\.rawValue).sorted().forEach { print($0) }
  }

  private func providerOptions() throws -> DemoOptions {
    var options = DemoOptions(
      accessTokenLifetime: tokenLifetime,
      faults: Set(faults),
      algorithm: algorithm,
      rotates: rotate
    )
    options.records = false
    if let log {
      nonisolated(unsafe) let file = fopen(log, "ae")
      guard file != nil else { throw ValidationError("--log: \(log) can't be written") }
      options.onRequest = {
        fputs("\($0.method) \($0.path) \($0.status)\n", file)
        fflush(file)
      }
    }
    return options
  }

  private func start(_ options: DemoOptions) async throws -> DemoProvider {
    var options = options
    for port in port.map({ [$0] }) ?? Array(8420...8439) {
      options.port = port
      do { return try await DemoProvider.start(options) } catch is DemoProvider.PortUnavailable {}
    }
    if let port {
      throw ValidationError("--port: port \(port) of 127.0.0.1 can't be used; another program may have it")
    }
    options.port = 0
    return try await DemoProvider.start(options)
  }

  private func instructions(_ provider: DemoProvider, _ environment: DemoEnvironment) -> String {
    let faultList = faults.isEmpty ? "" : "\n\nFaults: \(faults.map(\.rawValue).joined(separator: ", "))"
    return """
      The demo identity provider listens at \(provider.baseURL). Press Ctrl-C to stop it.

      In another terminal, let msauth use it:
      \(environment.exports)

      Then try:
      \(examples)

      Users: \(users(of: provider))
      They have no passwords.\(faultList)
      """
  }

  private func welcome(_ provider: DemoProvider) -> String {
    """
    The demo identity provider listens at \(provider.baseURL) until this command
    ends; msauth's configuration and tokens are removed with it. The files that
    msauth setup mail and msauth setup mcp write stay; --print writes none. Try:
    \(examples)

    Users: \(users(of: provider))
    They have no passwords.
    Without a display: msauth login --browser 'msauth-demo walk %s'

    """
  }

  private func users(of provider: DemoProvider) -> String { provider.users.map(\.username).joined(separator: ", ") }

  private var examples: String {
    let graph = oidc ? [] : ["msauth graph me", "msauth graph me/messages --scope Mail.Read"]
    return (["msauth login", "msauth status"] + graph + ["msauth logout --from-browser"]).map { "  " + $0 }
      .joined(separator: "\n")
  }
}

extension Fault: ExpressibleByArgument {
  /// Empty, since the list is too long for the help.
  static var allValueStrings: [String] { [] }
  static var defaultCompletionKind: CompletionKind { .list(allCases.map(\.rawValue)) }
}
extension SignatureAlgorithm: ExpressibleByArgument {}
