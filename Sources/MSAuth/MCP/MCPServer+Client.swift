public import FoundationEssentials
import MSAuthCache
import MSAuthCore
import MSAuthDesktop
import MSAuthLoopback
import MSAuthOAuth
import MSAuthTransport

extension MCPServer {
  /// The client at the authorization server: configured, registered before, or registered now (RFC 7591).
  func client(
    for discovery: MCPDiscovery,
    scopes: [String],
    in document: TokenCacheDocument
  ) async throws -> MCPClient {
    if let clientID = settings.registeredClientID {
      return MCPClient(clientID, secret: settings.clientSecret.map { Secret($0) })
    }
    if let registration = discovery.registration {
      let secret = registration.clientSecret.map { Secret($0) }
      return MCPClient(registration.clientID, secret: secret, redirectURI: registration.redirectURI)
    }
    if let known = document.registration(at: discovery.issuer) { return known }
    if discovery.metadata.supportsClientIDMetadataDocument, let url = settings.metadataDocument {
      return MCPClient(url)
    }
    return try await register(at: discovery, scopes: scopes)
  }

  /// Registers a client, and stores it before it is used.
  func register(at discovery: MCPDiscovery, scopes: [String]) async throws -> MCPClient {
    guard let endpoint = discovery.metadata.registrationEndpoint else { throw noClient(at: discovery) }
    // Some authorization servers compare the port, so every sign-in uses the registered one.
    let listener = try LoopbackListener(.ipv4, peerOwner: .system(isWSL: context.dependencies.session.isWSL))
    let redirectURI = "http://127.0.0.1:\(listener.port)/"
    listener.close()
    var request = HTTPRequest(
      .post,
      endpoint,
      headers: [("Content-Type", "application/json"), ("Accept", "application/json")],
      body: RegisteredClient.request(redirectURI: redirectURI, scopes: scopes)
    )
    request.isRepeatable = false
    let response = try await context.dependencies.send(request)
    let registered: RegisteredClient
    do {
      registered = try RegisteredClient(
        parsing: response.body,
        status: response.status,
        retryAfter: context.dependencies.retryAfter(response)
      )
    } catch {
      var error = AuthenticationError(wrapping: error)
      error.message = "\(discovery.issuer.printable(limit: 200)) refused to register msauth: \(error.message)"
      throw error
    }
    var client = MCPClient(registered.clientID, secret: registered.secret, redirectURI: redirectURI)
    client.managementURL = registered.managementURL.flatMap { (try? checkAddress($0)) == nil ? nil : $0 }
    client.managementToken = registered.managementToken
    let (stored, issuer) = (client, discovery.issuer)
    try await context.dependencies.store.settled().change { $0.setRegistration(stored, at: issuer) }
    return client
  }

  private func noClient(at discovery: MCPDiscovery) -> AuthenticationError {
    let redirectURI = RedirectTarget.usualURI(for: discovery.authority)
    return AuthenticationError(
      .invalidConfiguration,
      "\(discovery.issuer.printable(limit: 200)) doesn't register clients, and no client ID is configured for it",
      reason: "client_id_missing",
      hint: """
        register a public client with the redirect URI \(redirectURI) there, then use \
        \(setting: "client_id", "ID", or: "its client ID") or \
        \(setting: "mcp", "{\"\(url)\": {\"client_id\": \"ID\"}}", or: "its client ID in the configuration")
        """
    )
  }
}

// MARK: - Sessions

/// A server that the user signed in to, as the store has it.
public struct MCPSession: Sendable, Hashable {
  /// The server's URL.
  public let url: String
  /// The issuer of its tokens.
  public let issuer: String
  /// The client ID at the issuer.
  public let clientID: String
  /// The scopes that were requested.
  public let scopes: [String]
  /// The account whose tokens the server receives; nil if the session has none.
  public let username: String?
  /// When the access token expires; nil if none is valid.
  public let expiresOn: Date?
  /// Whether the access token can be refreshed.
  public let isRefreshable: Bool
}

/// The results of a sign-out from a server.
public struct MCPSignOutReport: Sendable {
  /// Whether there was a session.
  public let removedSession: Bool
  /// What became of the refresh token; nil if it is an account's, which stays signed in.
  public let revocation: SignOutReport.Revocation?
  /// Whether the registration was deleted at the issuer; nil if another server uses it, or the issuer deletes none.
  public let deletedRegistration: Bool?
  /// What failed and why, one sentence for each failure.
  public let problems: [String]
}

extension MCPServer {
  /// The servers that the user signed in to, in the order of their URLs.
  public static func sessions(_ configuration: ClientConfiguration) async throws(AuthenticationError) -> [MCPSession] {
    try await AuthenticationError.wrap {
      let dependencies = try await Dependencies.system(for: configuration)
      let context = Context(configuration: configuration, dependencies: dependencies)
      let document = try await dependencies.store.load()
      var sessions: [MCPSession] = []
      for entry in document.mcpServers {
        let server = try MCPServer(entry.url, settings: Settings(), context: context)
        sessions.append(try await server.session(entry, in: document))
      }
      return sessions
    }
  }

  private func session(_ entry: MCPServerEntry, in document: TokenCacheDocument) async throws -> MCPSession {
    let lookup = try await lookup(entry, in: document)
    let scopes = entry.accountKind == nil ? [] : entry.scopes
    let token = lookup?.accessToken(in: document, scopes: scopes, validity: .seconds(0))
    return MCPSession(
      url: entry.url,
      issuer: entry.issuer,
      clientID: entry.client.id,
      scopes: entry.scopes,
      username: entry.accountKind == nil ? nil : lookup?.account.username,
      expiresOn: token.map { Date(timeIntervalSince1970: Double($0.expiresOn)) },
      isRefreshable: lookup.map { !$0.refreshTokens(in: document).isEmpty } ?? false
    )
  }

  private func lookup(_ entry: MCPServerEntry, in document: TokenCacheDocument) async throws -> TokenLookup? {
    let authority = try entry.authority
    let application = try application(for: entry, authority)
    guard let account = try? entry.account(at: authority, in: document, of: application) else { return nil }
    return await TokenLookup(context: application.context, authority: authority, account: account)
  }

  /// Removes the server's tokens and registration, and has them revoked and deleted where the issuer allows it.
  ///
  /// A Microsoft account stays signed in: only the server's access token is removed.
  ///
  /// - Throws: ``AuthenticationError`` if they could not be removed here; the later steps only report.
  /// - Returns: What each step achieved.
  public func signOut() async throws(AuthenticationError) -> MCPSignOutReport {
    try await AuthenticationError.wrap {
      // 1. Forget everything here first.
      let store = try await context.dependencies.store.settled()
      let before = try await store.load()
      guard let entry = before.mcpServer(url) else {
        return MCPSignOutReport(removedSession: false, revocation: nil, deletedRegistration: nil, problems: [])
      }
      let isShared = before.mcpServers.contains { $0.url != url && $0.issuer == entry.issuer }
      let registration = isShared ? nil : before.registration(at: entry.issuer)
      let lookup = try await lookup(entry, in: before)
      try await store.change { document in
        document.setMCPServer(url, nil)
        if !isShared { document.setRegistration(nil, at: entry.issuer) }
        guard entry.accountKind != nil, let lookup,
          let token = lookup.accessToken(in: document, scopes: entry.scopes, validity: .seconds(0))
        else { return }
        _ = document.removeAccessToken(token.secret, clientID: entry.client.id)
      }

      // 2. The resource's own session ends at the issuer too.
      var report: SignOutReport?
      if entry.accountKind == nil {
        let authority = try entry.authority
        report = try await application(for: entry, authority).signOut(Account(resourceOf: authority))
        if let registration { try await store.change { $0.removeClient(registration.id) } }
      }

      // 3. And so does the registration (RFC 7592 §2.3).
      var problems = report?.problems ?? []
      var isDeleted: Bool?
      if let registration {
        do {
          isDeleted = try await delete(registration)
        } catch {
          isDeleted = false
          problems.append("the registration could not be deleted: \(AuthenticationError(wrapping: error).message)")
        }
      }
      return MCPSignOutReport(
        removedSession: true,
        revocation: report?.revocation,
        deletedRegistration: isDeleted,
        problems: problems
      )
    }
  }

  private func delete(_ registration: MCPClient) async throws -> Bool? {
    guard let url = registration.managementURL, let token = registration.managementToken else { return nil }
    var request = HTTPRequest(.delete, url)
    request.authorization = ("Bearer", token)
    let response = try await context.dependencies.send(request)
    guard (200...299).contains(response.status) else {
      throw AuthenticationError(unexpected: response, from: url, what: "a confirmation of the deletion")
    }
    return true
  }
}
