import ArgumentParser
import DemoProvider
import Foundation
import Glibc
import MSAuthCore
import MSAuthCrypto
import MSAuthUnix
import Subprocess
import SystemPackage

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
    if listsFaults {
      let explanation = "Faults and unusual behavior, many named after modules of OpenID's conformance tests:\n"
      FileHandle.standardError.write(Data(explanation.utf8))
      return Fault.allCases.map(\.rawValue).sorted().forEach { print($0) }
    }
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
    let provider = try await start(options)
    let home = try makeHome()
    let settings = settings(of: provider, home: home)
    let status: Int32
    do {
      defer { try? FileManager.default.removeItem(atPath: home) }
      if command.isEmpty {
        print(instructions(provider, settings))
        // stdout may be a pipe, which another program reads while this one serves.
        fflush(nil)
        status = await 128 + Self.interruption(by: [SIGINT, SIGTERM, SIGHUP])
      } else {
        if isatty(STDERR_FILENO) == 1 { FileHandle.standardError.write(Data((welcome(provider) + "\n").utf8)) }
        status = try await run(command, settings + Self.files(in: home))
      }
    }
    await provider.stop()
    throw ExitCode(status)
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

  /// Creates the directory for msauth's configuration and tokens, which can't be used after the provider has ended.
  private func makeHome() throws -> String {
    let home = FileManager.default.temporaryDirectory.path + "/msauth-demo.\(UUID())"
    for directory in [home, home + "/run"] where mkdir(directory, 0o700) != 0 { throw CocoaError(.fileWriteUnknown) }
    try Data("{}\n".utf8).write(to: URL(filePath: home + "/config.json"))
    chmod(home + "/config.json", 0o600)
    return home
  }

  /// Waits for a signal that ends the program, or for the task's cancellation.
  private static func interruption(by numbers: [Int32]) async -> Int32 {
    let (signals, arrived) = AsyncStream<Int32>.makeStream()
    let sources = numbers.map { number in
      // A handler isn't inherited by a command, unlike an ignored signal.
      signal(number) { _ in }
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { arrived.yield(number) }
      source.resume()
      return source
    }
    defer { sources.forEach { $0.cancel() } }
    for await signal in signals { return signal }
    return SIGTERM
  }

  /// The variables that make msauth use the provider.
  private func settings(of provider: DemoProvider, home: String) -> [(name: String, value: String)] {
    [
      ("MSAUTH_CONFIG", home + "/config.json"),
      ("MSAUTH_STORE", "file"),
      ("MSAUTH_CACHE_FILE", home + "/token_cache.json"),
      ("MSAUTH_CLIENT_ID", provider.clientID),
      ("MSAUTH_AUTHORITY", oidc ? provider.oidcIssuer : provider.entraAuthority()),
      ("MSAUTH_AUTHORITY_TYPE", oidc ? "oidc" : "aad"),
      ("MSAUTH_GRAPH_ENDPOINT", provider.graphURL),
    ]
  }

  /// Other files that msauth, git, kubectl and Docker would otherwise keep in the user's home.
  private static func files(in home: String) -> [(name: String, value: String)] {
    // A container has no login session's directory.
    let named = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"]
    let runtime = RuntimeDirectory.usable(named).path == nil ? [("XDG_RUNTIME_DIR", home + "/run")] : []
    return runtime + [
      ("XDG_CACHE_HOME", home + "/cache"), ("GIT_CONFIG_GLOBAL", home + "/gitconfig"),
      ("KUBECONFIG", home + "/kubeconfig"), ("DOCKER_CONFIG", home + "/docker"),
    ]
  }

  /// The directory of this program, if `msauth` is there too and the shell wouldn't find it, as after `swift build`.
  private var buildDirectory: String? {
    let directory = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").contains(Substring(directory))
      || !FileManager.default.isExecutableFile(atPath: directory + "/msauth") ? nil : directory
  }

  private func instructions(_ provider: DemoProvider, _ settings: [(name: String, value: String)]) -> String {
    // The values are URLs and identifiers of the provider, without characters that a shell would interpret.
    let path = buildDirectory.map { [("PATH", $0.shellQuoted + ":$PATH")] } ?? []
    let exports = (path + settings).map { "  export \($0)=\($1)" }.joined(separator: "\n")
    let faultList = faults.isEmpty ? "" : "\n\nFaults: \(faults.map(\.rawValue).joined(separator: ", "))"
    return """
      The demo identity provider listens at \(provider.baseURL). Press Ctrl-C to stop it.

      In another terminal, let msauth use it:
      \(exports)

      Then try:
      \(examples)

      Users: \(users(of: provider))
      They have no passwords.\(faultList)
      """
  }

  private func users(of provider: DemoProvider) -> String { provider.users.map(\.username).joined(separator: ", ") }

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

  private var examples: String {
    let graph = oidc ? [] : ["msauth graph me", "msauth graph me/messages --scope Mail.Read"]
    return (["msauth login", "msauth status"] + graph + ["msauth logout --from-browser"]).map { "  " + $0 }
      .joined(separator: "\n")
  }

  private func run(_ command: [String], _ settings: [(name: String, value: String)]) async throws -> Int32 {
    // Ctrl-C reaches the command too, which decides what to do.
    signal(SIGINT) { _ in }
    var variables = settings.map { (Environment.Key(stringLiteral: $0.name), Optional($0.value)) }
    // The user's own settings don't belong to this provider.
    variables += ["MSAUTH_TENANT", "MSAUTH_ACCOUNT", "MSAUTH_PROFILE", "MSAUTH_STORE_KEY_FILE"].map {
      (Environment.Key(stringLiteral: $0), nil)
    }
    if let buildDirectory {
      let path = ProcessInfo.processInfo.environment["PATH"].map { ":" + $0 } ?? ""
      variables.append(("PATH", buildDirectory + path))
    }
    let environment = Subprocess.Environment.inherit.updating(Dictionary(variables) { $1 })
    return try await withThrowingTaskGroup(of: Int32.self) { group in
      group.addTask { await 128 + Self.interruption(by: [SIGTERM, SIGHUP]) }
      group.addTask { try await Self.run(command, environment) }
      defer { group.cancelAll() }
      return try await group.next() ?? 1
    }
  }

  private static func run(_ command: [String], _ environment: Subprocess.Environment) async throws -> Int32 {
    var platformOptions = PlatformOptions()
    // An interactive shell ignores SIGTERM.
    platformOptions.teardownSequence = [.terminate, .terminalClosed].map {
      .send(signal: $0, allowedDurationToNextStep: .seconds(1))
    }
    let status: TerminationStatus
    do {
      status = try await Subprocess.run(
        command[0].utf8.contains(UInt8(ascii: "/")) ? .path(FilePath(command[0])) : .name(command[0]),
        arguments: Arguments(Array(command.dropFirst())),
        environment: environment,
        platformOptions: platformOptions,
        input: .currentStandardInput,
        output: .currentStandardOutput,
        error: .currentStandardError
      ).terminationStatus
    } catch {
      guard (error as? SubprocessError)?.code == .executableNotFound else { throw error }
      MSAuthDemo.report("error: \(command[0]): command not found")
      // As a shell does.
      return 127
    }
    return switch status {
    case .exited(let code): code
    case .signaled(let signal): 128 + signal
    }
  }
}

extension Fault: ExpressibleByArgument {
  /// Empty, since the list is too long for the help.
  static var allValueStrings: [String] { [] }
  static var defaultCompletionKind: CompletionKind { .list(allCases.map(\.rawValue)) }
}
extension SignatureAlgorithm: ExpressibleByArgument {}
