import ArgumentParser

struct MCP: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract: "Sign in to MCP servers, for programs that use them.",
    discussion: """
      A Model Context Protocol server names its authorization server. msauth registers there if needed, stores the \
      tokens, and refreshes them. msauth-mcp(7) has the configuration of MCP clients, and explains which token a server gets.

      EXAMPLES
        $ claude mcp add example -- msauth mcp connect https://mcp.example.com/mcp
        $ msauth mcp login https://mcp.example.com/mcp
        $ msauth mcp token --output headers https://mcp.example.com/mcp
      """,
    subcommands: [MCPConnect.self, MCPLogin.self, MCPToken.self, MCPList.self, MCPLogout.self]
  )
}
