import ArgumentParser
import MSAuth
import MSAuthMCP

struct MCPToken: ReportingCommand {
  enum OutputFormat: String, TokenFormat { case token, header, json, headers }

  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Print an access token for an MCP server; refresh it first if needed.",
    discussion: """
      Output formats: token (the token alone), header (Authorization: …), headers (a JSON object of header fields), json.

      EXAMPLES
        $ msauth mcp token https://mcp.example.com/mcp
        $ msauth mcp token --output headers https://mcp.example.com/mcp
      """
  )

  @Flag(help: "Refresh even if the stored token is valid.")
  var forceRefresh = false

  @Flag(help: .interactive) var interactive = false

  @OptionGroup var formatOptions: TokenFormatOptions<OutputFormat>

  @OptionGroup var options: MCPSignInOptions

  func validate() throws { try options.browsing.rejectIgnored(mayOpen: interactive) }

  func run() async throws {
    let (server, availability) = try await options.prepare(maySignIn: interactive)
    let result = try await availability.run { interaction throws(AuthenticationError) in
      try await server.token(interaction: interaction, forceRefresh: forceRefresh)
    }
    switch formatOptions.format {
    case .token: try Console.result(result.tokenLine())
    case .header: try Console.result(result.headerLine())
    case .headers:
      let headers: JSONValue = ["Authorization": .string(result.authorizationHeader)]
      try Console.result(headers.serializedString())
    case .json: try JSONResult(result, of: server, showsToken: true).print()
    }
  }
}
