import ArgumentParser
import MSAuth
import MSAuthMCP

struct MCPConnect: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "connect",
    abstract: "Act as a stdio MCP server that forwards messages to a server with a token.",
    discussion: """
      For the configuration of an MCP client. When the server requires a token, the browser opens once; with \
      --no-browser, requests fail with the command to run.

      EXAMPLES
        $ msauth mcp connect https://mcp.example.com/mcp
        $ claude mcp add example -- msauth mcp connect https://mcp.example.com/mcp
      """
  )

  @OptionGroup var options: MCPSignInOptions

  func validate() throws {
    let browsing = options.browsing
    try reject(together: ["--timeout": browsing.timeout != nil, "--no-browser": browsing.noBrowser])
  }

  func run() async throws {
    let (server, availability) = try await options.prepare(maySignIn: !options.browsing.noBrowser, inputIsData: true)
    let interaction = availability.usableInteraction
    try await MCPBridge(server, interaction: interaction) { availability.explained($0).oneLine }.run()
  }
}
