@testable import DemoProvider
import MSAuthCrypto
import TestSupport

/// A user of `msauth` with its own home and a demo provider.
struct DemoSession: CommandFixture {
  let provider: DemoProvider
  var runner: CommandRunner
  /// Whether the authority is Entra's, not that of a plain OpenID Connect provider.
  private let isEntra: Bool

  init(
    _ faults: Set<Fault> = [],
    configuration: String? = nil,
    signedIn users: [String] = [],
    isEntra: Bool = false
  ) async throws {
    self.isEntra = isEntra
    provider = try await DemoProvider.start(DemoOptions(faults: faults, algorithm: .es256))
    runner = try CommandRunner()
    if let configuration { try home.write(configuration, to: "config/msauth/config.json") }
    for user in users {
      let login = try await run(["login", "--prompt", "login"], as: user)
      guard login.code == 0 else { throw TestFailure("msauth login: \(login)") }
    }
  }

  var identity: [String] {
    let authority = isEntra ? [provider.entraAuthority(), "--authority-type", "aad"] : [provider.oidcIssuer]
    return ["--authority"] + authority + ["--client-id", provider.clientID, "--store", "file"]
  }

  /// Runs a command, with a scope if it takes one, while the user completes the pages that it opens.
  func run(_ arguments: [String], as user: String) async throws -> CommandRunner.Outcome {
    let opensBrowser = ["login", "graph"].contains(arguments[0]) || arguments.contains("--interactive")
    let scope = opensBrowser || arguments[0] == "token" ? ["--scope", "User.Read"] : []
    let child = try start([arguments[0]] + scope + (opensBrowser ? ["--no-browser"] : []) + arguments.dropFirst())
    let walking = Task {
      guard opensBrowser, !arguments.contains("--timeout") else { return }
      _ = try await ScriptedBrowser().walk(from: try await child.printedURL(), as: user)
    }
    let outcome = try await runner.outcome(of: child)
    walking.cancel()
    return outcome
  }

  /// Calls the provider's Graph.
  func graph(_ arguments: String...) async throws -> CommandRunner.Outcome {
    try await run(["graph", "--endpoint", provider.graphURL] + arguments, as: "ada")
  }
}
