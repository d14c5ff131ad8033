import ArgumentParser
import Glibc
import MSAuth
import MSAuthAzure
import MSAuthPreferences
import MSAuthUnix

/// The programs that msauth stands in for when it is started under their names.
enum StandIn: String {
  case az, azd, keyring
  case dockerCredential = "docker-credential-msauth"

  /// The programs that `msauth exec --azure` puts on its command's path.
  static let tools = [az, azd, keyring].map(\.rawValue)

  /// Adds symbolic links to this program, named after the tools.
  static func addLinks(in directory: String) throws {
    let program = try ProcessLauncher.program
    for tool in tools where symlink(program, "\(directory)/\(tool)") != 0 {
      throw FileError.system("\(directory)/\(tool)")
    }
  }

  static let current = ProcessArguments.programName.flatMap(StandIn.init)

  func run() async throws {
    // Programs may read stderr.
    Console.messages = .necessary
    switch self {
    case .az: try await runTool("ERROR: ", signIn: "Please run 'az login' to setup account.", AzureCLI.run)
    case .azd: try await runTool("ERROR: ", signIn: "not logged in, run `azd auth login` to login", DeveloperCLI.run)
    case .keyring: try await runTool("keyring: ", signIn: "not signed in", KeyringCLI.run)
    case .dockerCredential: try await DockerCredential.parse(Array(ProcessArguments.all.dropFirst())).run()
    }
  }

  /// Runs a tool's command, and reports errors in the form that its callers expect.
  private func runTool(_ prefix: String, signIn: String, _ command: (ArraySlice<String>) async throws -> Void)
    async throws
  {
    let arguments = ProcessArguments.all.dropFirst()
    var status = ExitStatus.failed
    let (message, error): (String, AuthenticationError)
    do {
      return try await command(arguments)
    } catch let rejection as Rejection {
      (message, error) = ("this \(rawValue) is a stand-in from msauth: \(rejection.reason)", .usage(rejection.reason))
      // az's status for wrong usage is msauth's for a needed sign-in.
      if self == .az { status = .signInNeeded }
    } catch let failure as AuthenticationError {
      (message, error) = (failure.toolMessage(signIn, rawValue, arguments), failure)
    }
    Console.write(prefix + message + "\n")
    throw CommandFailure(error, status: status)
  }
}

extension ToolArguments {
  static func requestsHelp(_ arguments: ArraySlice<String>) -> Bool {
    arguments.isEmpty || arguments.contains { ["--help", "-h"].contains($0) }
  }
}

extension AuthenticationError {
  /// The tool's own message, which SDKs look for, and the command to run if the user has to sign in.
  fileprivate func toolMessage(_ signIn: String, _ tool: String, _ arguments: ArraySlice<String>) -> String {
    if !lacksConsent, needsSignIn {
      let login = ToolClient.login(try? ToolArguments(arguments)).shellCommand
      return "\(signIn)\nThis \(tool) is a stand-in from msauth: run \(login) instead."
    }
    // Not oneLine, whose commands wouldn't have msauth exec's options.
    return message.printable() + (hint.map { "; \($0)" } ?? "")
  }
}
