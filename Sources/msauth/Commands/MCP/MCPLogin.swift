import ArgumentParser
import MSAuth
import MSAuthMCP

struct MCPLogin: RelayedCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Sign in to an MCP server through the browser, and print its URL.",
    discussion: """
      On a computer without a browser, use --device-code, or --via on the computer that you connect from.

      EXAMPLES
        $ msauth mcp login https://mcp.example.com/mcp
        $ msauth mcp login --scope api://example/read https://mcp.example.com/mcp
        $ msauth mcp login --via ada@server.example https://mcp.example.com/mcp
      """
  )

  static let relayedWords = ["mcp", "login"]

  @OptionGroup var remoteBrowser: RemoteBrowserOptions

  @Option(help: .prompt) var prompt: Prompt?

  @Flag(help: .json) var json = false

  @OptionGroup var options: MCPSignInOptions

  func validate() throws {
    try remoteBrowser.rejectIgnored(options.browsing, withoutDeviceCode: ["--prompt": prompt != nil])
  }

  func run() async throws { try await run(via: remoteBrowser.via, options.browsing, isJSON: json) }

  static func name(in result: JSONValue.Object) -> String? { result["server"]?.string }

  func signIn(through agent: RelayedUserAgent?) async throws -> (output: JSONResult, name: String) {
    let (server, availability) = try await options.prepare(through: agent)
    var interaction = availability.interaction ?? Interaction()
    interaction.prompt = prompt
    let showCode = try remoteBrowser.apply(to: &interaction)
    if showCode == nil { try availability.requireUser() }
    return (JSONResult(try await server.signIn(interaction, onDeviceCode: showCode), of: server), server.url)
  }
}
