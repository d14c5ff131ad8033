import MSAuth
import MSAuthMCP
import MSAuthPreferences

extension Doctor {
  /// Checks the sign-in to an MCP server, and shows the sessions there.
  func checkServer(_ url: String, within limit: Duration, _ report: (String, CheckResult) throws -> Void) async throws {
    let server: MCPServer
    do {
      let settings = try Settings(withoutClientID: options.storeOptions)
      var application = settings.application
      application.http.retryCount = 0
      application.http.requestTimeout = min(application.http.requestTimeout, limit)
      let serverSettings = MCPServer.Settings(for: url, clientID: options.clientID, in: settings, options.storeOptions)
      server = try await MCPServer(url, settings: serverSettings, configuration: application).readOnly
    } catch {
      return try report("configuration", .failed(AuthenticationError(wrapping: error)))
    }
    var failure: (any Error)?
    await server.diagnose { name, result in
      do { try report(name, result) } catch { failure = error }
    }
    if let failure { throw failure }
    // The diagnosis reported a store that can't be read.
    let sessions = (try? await server.sessions()) ?? []
    if sessions.isEmpty { try report("mcp_session", .skipped("none")) }
    for session in sessions {
      let name = session.name.map { $0.printable(limit: 80) + ": " } ?? ""
      let isUsable = session.expiresOn != nil || session.isRefreshable
      try report("mcp_session", CheckResult(isUsable ? .ok : .warning, name + session.validity))
    }
  }
}
