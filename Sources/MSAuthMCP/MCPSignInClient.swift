import MSAuth

/// The client of one sign-in, which is registered if needed, and again if the authorization server doesn't accept it.
struct MCPSignInClient: Sendable {
  private let server: MCPServer
  private let discovery: MCPDiscovery
  private let isNew: Bool
  /// The server's entry, stored with the sign-in's tokens.
  private(set) var entry: MCPServerEntry
  /// The registered clients that the sign-in doesn't need.
  private(set) var replaced: [MCPClient] = []

  /// Chooses the client again, since another process may have registered one after the plan, or registers one.
  init(_ plan: MCPPlan, of server: MCPServer) async throws(AuthenticationError) {
    (self.server, discovery) = (server, plan.discovery)
    let document = try await server.context.store.load()
    let client: MCPClient
    switch try server.client(for: discovery, requesting: plan.requestedScopes, in: document) {
    case .known(let known): (client, isNew) = (known, false)
    case .new(let scopes):
      (client, isNew) = (try await server.register(at: discovery, scopes: scopes), true)
      replaced += [document.registration(at: discovery.issuer)].compactMap(\.self)
    }
    entry = MCPServerEntry(server.key, resource: discovery.resource, issuer: discovery.issuer, client: client)
    if discovery.authority.subject.isAccount { entry.accountKind = discovery.authority.kind.rawValue }
    entry.scopes = plan.scopes.names
    let confirmed = document.mcpServer(server.key)?.confirmedIdentifiers ?? []
    entry.confirmedIdentifiers = confirmed + (plan.confirmation?.identifiers ?? [])
  }

  /// Replaces a client that the authorization server has forgotten: its error page never redirects back.
  mutating func replaceIfForgotten() async throws(AuthenticationError) {
    guard !isNew, entry.client.isRegistered else { return }
    let application = try server.context.application(for: entry, discovery.authority)
    guard try await application.isClientRejected(TokenParameters(scopes: entry.scopes)) else { return }
    try await replace()
  }

  /// Signs in; once more with another client if this one is unknown, or another program has its redirect URI's port.
  mutating func signIn<Value>(
    _ getToken: (MCPServerEntry) async throws(AuthenticationError) -> Value
  ) async throws(AuthenticationError) -> Value {
    do {
      return try await getToken(entry)
    } catch {
      guard entry.client.isRegistered else { throw error }
      // The page may have shown that the client is unknown: the next sign-in registers again.
      if error.code == .timedOut { try await server.forget(entry.client, at: entry.issuer) }
      guard error.code == .listenerFailed || error.provider?.meansUnknownClient == true else { throw error }
      // Another sign-in may be using the port, and with it the client.
      try await replace(isInUse: error.code == .listenerFailed)
    }
    return try await getToken(entry)
  }

  private mutating func replace(isInUse: Bool = false) async throws(AuthenticationError) {
    let old = entry.client
    entry.client = try await server.register(at: discovery, scopes: Scopes(usable: old.registeredScopes ?? []))
    if !isInUse { replaced.append(old) }
  }
}
