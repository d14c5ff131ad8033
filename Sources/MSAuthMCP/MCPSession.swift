public import FoundationEssentials
public import MSAuth

/// A session at a server, as stored.
public struct MCPSession: Sendable, Hashable {
  /// The server's URL.
  public let url: String
  /// The user's name for one of several sessions at the server; `nil` for the only one.
  public let name: String?
  /// The issuer of its tokens.
  public let issuer: String
  /// The client ID at the issuer.
  public let clientID: String
  /// The scopes that were requested.
  public let scopes: [String]
  /// The account whose tokens the server receives; `nil` if the session has none.
  public let username: String?
  /// When the access token expires; `nil` if none is valid.
  public let expiresOn: Date?
  /// Whether the access token can be refreshed.
  public let isRefreshable: Bool
}

extension MCPServer {
  /// The servers that the user signed in to, sorted by URL.
  public static func sessions(_ configuration: ClientConfiguration) async throws(AuthenticationError) -> [MCPSession] {
    let dependencies = try await Dependencies.system(for: configuration)
    return try await Context(configuration: configuration, dependencies: dependencies).mcpSessions()
  }

  /// The user's sessions at this server.
  package func sessions() async throws(AuthenticationError) -> [MCPSession] {
    try await context.mcpSessions().filter { $0.url.isIdentical(to: url) }
  }
}

extension Context {
  fileprivate func mcpSessions() async throws(AuthenticationError) -> [MCPSession] {
    let document = try await store.load()
    var sessions: [MCPSession] = []
    for entry in document.mcpServers {
      let lookup = await lookup(entry, in: document)
      let scopes = Scopes(usable: entry.tokenScopes)
      let token = lookup?.accessToken(in: document, scopes: scopes, validity: .seconds(0))
      let session = MCPSession(
        url: entry.url,
        name: entry.session,
        issuer: entry.issuer,
        clientID: entry.client.id,
        scopes: entry.scopes,
        username: entry.isForAccount ? lookup?.account.username : nil,
        expiresOn: token.map { Date(timeIntervalSince1970: Double($0.expiresOn)) },
        isRefreshable: lookup.map { !$0.refreshTokens(in: document).isEmpty } ?? false
      )
      sessions.append(session)
    }
    return sessions
  }
}
