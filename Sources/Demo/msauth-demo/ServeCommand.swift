import ArgumentParser
import DemoProvider
import Foundation
import Glibc
import MSAuthCrypto
import Subprocess
import SystemPackage

/// Serves the provider until interrupted, or while a command runs.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve the identity provider until interrupted, or while a command runs.",
    usage: "msauth-demo serve [<options>] [-- <command> …]",
    discussion: """
      Without a command, prints the settings that make msauth use the provider. A command runs with these settings, and \
      msauth-demo exits with its status.
      """
  )

  @Option(help: "The port on 127.0.0.1; 0 selects a free one.")
  var port: UInt16 = 0

  @Option(
    name: .customLong("fault"),
    help: ArgumentHelp("A fault of the provider. Can be repeated.", valueName: "name")
  )
  var faults: [Fault] = []

  @Option(help: ArgumentHelp("The lifetime of access tokens.", valueName: "seconds"))
  var tokenLifetime: Int64 = 3600

  @Option(help: "The algorithm that signs ID tokens.")
  var algorithm: SignatureAlgorithm = .rs256

  @Flag(inversion: .prefixedNo, help: "Accept each refresh token once. Microsoft Entra ID doesn't rotate them.")
  var rotate = true

  @Flag(help: "Print settings for a plain OpenID provider instead of Microsoft Entra ID.")
  var oidc = false

  @Option(help: ArgumentHelp("Append a line to this file for each request.", valueName: "path"))
  var log: String?

  @Argument(parsing: .postTerminator, help: ArgumentHelp("The command to run.", valueName: "command"))
  var command: [String] = []

  func validate() throws {
    guard tokenLifetime > 0 else { throw ValidationError("--token-lifetime must be greater than 0.") }
  }

  func run() async throws {
    var options = DemoOptions(
      port: port,
      accessTokenLifetime: tokenLifetime,
      faults: Set(faults),
      algorithm: algorithm,
      rotates: rotate
    )
    if let log {
      do {
        options.onRequest = try RequestLog(path: log).append
      } catch {
        throw ValidationError("--log: \(log) can't be written")
      }
    }
    let provider = try await DemoProvider.start(options)
    let settings = settings(of: provider)
    if command.isEmpty {
      print(instructions(provider, settings))
      // stdout may be a pipe, which another program reads while this one serves.
      fflush(nil)
      // Ctrl-C ends the process; there is nothing to clean up.
      while true {
        try await Task.sleep(for: .seconds(3600))
        withExtendedLifetime(provider) {}
      }
    }
    let status = try await run(command, settings)
    await provider.stop()
    throw ExitCode(status)
  }

  /// The variables that make msauth use the provider.
  private func settings(of provider: DemoProvider) -> [(name: String, value: String)] {
    [
      ("MSAUTH_CLIENT_ID", provider.clientID),
      ("MSAUTH_AUTHORITY", oidc ? provider.oidcIssuer : provider.entraAuthority()),
      ("MSAUTH_AUTHORITY_TYPE", oidc ? "oidc" : "aad"),
      ("MSAUTH_GRAPH_ENDPOINT", provider.graphURL),
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
    let users = provider.users.map(\.username).joined(separator: ", ")
    // The values are URLs and identifiers of the provider, without characters that a shell would interpret.
    let path = buildDirectory.map { [("PATH", "'\($0.replacing("'", with: #"'\''"#))':$PATH")] } ?? []
    let exports = (path + settings).map { "  export \($0)=\($1)" }.joined(separator: "\n")
    let faultList = faults.isEmpty ? "" : "\n\nFaults: \(faults.map(\.rawValue).joined(separator: ", "))"
    return """
      The demo identity provider listens at \(provider.baseURL). Press Ctrl-C to stop it.

      In another terminal, let msauth use it:
      \(exports)

      Then try:
        msauth login
        msauth status
        msauth graph
        msauth logout --from-browser

      Users: \(users). They have no passwords.\(faultList)
      """
  }

  private func run(_ command: [String], _ settings: [(name: String, value: String)]) async throws -> Int32 {
    // Ctrl-C reaches the command too, which decides what to do. A handler isn't inherited, unlike an ignored signal.
    signal(SIGINT) { _ in }
    var variables = settings.map { (Environment.Key(stringLiteral: $0.name), Optional($0.value)) }
    if let buildDirectory {
      let path = ProcessInfo.processInfo.environment["PATH"].map { ":" + $0 } ?? ""
      variables.append(("PATH", buildDirectory + path))
    }
    let status: TerminationStatus
    do {
      status = try await Subprocess.run(
        command[0].utf8.contains(UInt8(ascii: "/")) ? .path(FilePath(command[0])) : .name(command[0]),
        arguments: Arguments(Array(command.dropFirst())),
        environment: .inherit.updating(Dictionary(variables) { $1 }),
        input: .currentStandardInput,
        output: .currentStandardOutput,
        error: .currentStandardError
      ).terminationStatus
    } catch {
      guard (error as? SubprocessError)?.code == .executableNotFound else { throw error }
      FileHandle.standardError.write(Data("msauth-demo: there is no program \(command[0])\n".utf8))
      // The status of a shell in this case.
      return 127
    }
    return switch status {
    case .exited(let code): code
    // The status of a shell, too.
    case .signaled(let signal): 128 + signal
    }
  }
}

/// A file with one line per request: method, path and status.
private struct RequestLog: Sendable {
  private let file: FileHandle

  init(path: String) throws {
    if !FileManager.default.fileExists(atPath: path) {
      try Data().write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
    }
    file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.seekToEnd()
  }

  func append(_ request: RecordedRequest) {
    try? file.write(contentsOf: Data("\(request.method) \(request.path) \(request.status)\n".utf8))
  }
}

extension Fault: ExpressibleByArgument {}
extension SignatureAlgorithm: ExpressibleByArgument {}
