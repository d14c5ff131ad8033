import ArgumentParser
import MSAuth
import MSAuthMCP
import MSAuthPreferences

struct MCPLogout: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout",
    abstract: "Remove and revoke an MCP server's tokens and registration.",
    discussion: """
      A Microsoft account stays signed in; use msauth logout to sign it out.

      EXAMPLES
        $ msauth mcp logout https://mcp.example.com/mcp
      """
  )

  @Flag(help: .json) var json = false

  @OptionGroup var options: MCPOptions

  func run() async throws {
    let server = try await options.server(Settings(withoutClientID: options.store))
    let report = try await server.signOut()
    let output = Output(report.members(for: server))
    if !json { report.print(for: server) }
    if !json, !report.removedSession, let name = try await server.sessions().compactMap(\.name).first {
      Console.hint("there is another session; use \(command: Invocation.words("--session", name))")
    }
    if let error = report.incompleteStep {
      throw CommandFailure(incompleteStep: error, output: output, isJSON: json)
    }
    if json { try output.print() }
  }
}

extension MCPSignOutReport {
  /// Why the session may still exist at the issuer.
  var incompleteStep: AuthenticationError? {
    switch session {
    case .success(let report): [report].incompleteStep
    case .failure(let error): error
    case nil: nil
    }
  }

  func members(for server: MCPServer) -> KeyValuePairs<String, (any JSONConvertible)?> {
    [
      "server": server.url, "session": server.session, "signed_out": removedSession,
      "revocation": revocation?.rawValue, "deleted_registration": deletedRegistration, "problems": problems,
    ]
  }

  func print(for server: MCPServer) {
    for problem in problems { Console.say(problem.printable()) }
    Console.notice(removedSession ? "signed out of \(server.title)" : "not signed in to \(server.title)")
  }
}
