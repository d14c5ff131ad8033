import ArgumentParser
import MSAuth
import MSAuthMCP
import MSAuthPreferences

/// The options of every command that may sign in to an MCP server.
struct MCPSignInOptions: MessageOptions {
  @Option(help: "Scope to request. Can be repeated, or several separated by spaces. Default: the server's.")
  var scope: [ScopeArgument] = []

  @OptionGroup(title: BrowserOptions.title) var browsing: BrowserOptions

  @OptionGroup var mcpOptions: MCPOptions

  var messages: Console.Messages { mcpOptions.messages }

  func prepare(
    maySignIn: Bool = true,
    inputIsData: Bool = false,
    through agent: RelayedUserAgent? = nil
  ) async throws -> (MCPServer, SignInAvailability) {
    var (settings, interaction) = (try Settings(withoutClientID: mcpOptions.storeOptions), Interaction())
    browsing.apply(to: &settings, &interaction)
    interaction.userAgent = agent
    let timeout = interaction.browserTimeout
    let server = try await mcpOptions.server(settings, scopes: scope.names) { confirmation in
      if let agent { return await agent.confirm(confirmation.statement) }
      return await MCPPrompt.isConfirmed(confirmation.statement, inputIsData: inputIsData, timeout: timeout)
    }
    let browser = settings.application.browser
    return (server, SignInAvailability(maySignIn ? interaction : nil, browser: browser, inputIsData: inputIsData))
  }
}
