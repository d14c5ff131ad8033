import ArgumentParser
import MSAuth
import MSAuthMCP
import MSAuthPreferences

struct MCPList: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Print the MCP servers that you are signed in to.",
    discussion: """
      Prints one URL per line; a session's name, if it has one, follows after a tab. On a terminal, prints more.

      EXAMPLES
        $ msauth mcp list
        $ msauth mcp list --json | jq -r '.servers[].server'
      """
  )

  @Flag(help: .json) var json = false

  @OptionGroup(title: StoreOptions.title) var options: StoreOptions

  func run() async throws {
    let sessions = try await MCPServer.sessions(try Settings(withoutClientID: options).application)
    if json { return try JSONResult(["servers": sessions.map(\.json)]).print() }
    if sessions.isEmpty { Console.notice("not signed in to any MCP server") }
    for session in sessions {
      guard Console.stdoutIsTerminal else {
        try Console.result([session.url, session.name].compactMap { $0?.printable() }.joined(separator: "\t"))
        continue
      }
      try Console.result(session.url.printable())
      try Table([
        ("  session", session.name ?? ""),
        ("  issuer", session.issuer),
        ("  client", session.clientID),
        ("  account", session.username ?? ""),
        ("  scopes", session.scopes.joined(separator: " ")),
        ("  token", session.validity),
      ]).print()
    }
  }
}
