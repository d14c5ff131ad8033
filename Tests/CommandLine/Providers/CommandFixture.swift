import DemoProvider
import MSAuthCrypto
import TestSupport

/// `msauth` with its own home, a demo provider, and a user at its browser.
struct CommandFixture: Sendable {
  let provider: DemoProvider
  let runner: CommandRunner

  init(_ faults: Set<Fault> = [], configuration: String? = nil, signedIn users: [String] = []) async throws {
    let home = try Home()
    if let configuration { try home.write(configuration, to: "config/msauth/config.json") }
    provider = try await DemoProvider.start(DemoOptions(faults: faults, algorithm: .es256))
    runner = CommandRunner(home: home)
    for user in users {
      let login = try await run(["login", "--prompt", "login"], as: user)
      guard login.code == 0 else { throw TestFailure("msauth login: \(login)") }
    }
  }

  /// Runs a command, completing the provider's pages when it opens the browser.
  func run(_ arguments: [String], as user: String) async throws -> CommandRunner.Outcome {
    var words = [arguments[0], "--client-id", provider.clientID, "--authority", provider.oidcIssuer, "--store", "file"]
    let opensBrowser = ["login", "graph"].contains(arguments[0])
    if opensBrowser { words.append("--no-browser") }
    if ["login", "graph", "token"].contains(arguments[0]) { words += ["--scope", "User.Read"] }
    let child = try runner.start(words + arguments.dropFirst())
    let walking = Task {
      guard opensBrowser, !arguments.contains("--timeout") else { return }
      let url = try await child.printedURL()
      _ = try await ScriptedBrowser().walk(from: url, as: user)
    }
    let outcome = try await runner.outcome(of: child)
    walking.cancel()
    return outcome
  }
}
