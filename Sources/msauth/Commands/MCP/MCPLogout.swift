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
    let server = try await options.server(Settings(withoutClientID: options.storeOptions))
    let report = try await server.signOut()
    let output = JSONResult(report.members(for: server))
    if !json { report.print(for: server) }
    if !json, !report.removedSession, let name = try await server.sessions().compactMap(\.name).first {
      Console.suggest("there is another session; use \(command: Invocation.option("--session", name))")
    }
    if let error = report.incompleteStep {
      throw CommandFailure(hintingAt: error, output: output, isJSON: json)
    }
    if json { try output.print() }
  }
}
