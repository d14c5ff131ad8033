import DemoProvider
import TestSupport

/// `msauth` itself before the demo provider, and a person at its browser.
struct Desk: Sendable {
  let provider: DemoProvider
  let runner: CommandRunner

  /// Runs a command; whenever it asks for the browser, the person goes through the pages.
  func run(_ arguments: [String], as person: String) async throws -> CommandRunner.Outcome {
    var words = [arguments[0], "--client-id", provider.clientID, "--authority", provider.oidcIssuer, "--store", "file"]
    let opensBrowser = ["login", "graph"].contains(arguments[0])
    if opensBrowser { words.append("--no-browser") }
    if ["login", "graph", "token"].contains(arguments[0]) { words += ["--scope", "User.Read"] }
    let child = try runner.start(words + arguments.dropFirst())
    let walking = Task {
      guard opensBrowser, !arguments.contains("--timeout") else { return }
      let url = try await child.printedURL()
      _ = try await ScriptedBrowser().walk(from: url, as: person)
    }
    let outcome = try await runner.outcome(of: child)
    walking.cancel()
    return outcome
  }
}
