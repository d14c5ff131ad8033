public import FoundationEssentials
public import MSAuth
import MSAuthTransport

/// A server that the user signed in to, as the store has it.
public struct MCPSession: Sendable, Hashable {
  /// The server's URL.
  public let url: String
  /// The user's name for it; nil for the only one.
  public let name: String?
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
  /// The refresh token's revocation; nil if an account or another server uses it, which stays signed in.
  public let revocation: SignOutReport.Revocation?
  /// Whether the registration was deleted at the issuer; nil if another server uses it, or the issuer offers no deletion.
  public let deletedRegistration: Bool?
  /// What failed and why, one sentence per failure.
  public let problems: [String]
  /// The end of a session that was only for this server.
  package var session: SignOutReport?
}

extension MCPServer {
  /// The servers that the user signed in to, in the order of their URLs.
  public static func sessions(_ configuration: ClientConfiguration) async throws(AuthenticationError) -> [MCPSession] {
    let dependencies = try await Dependencies.system(for: configuration)
    let context = Context(configuration: configuration, dependencies: dependencies)
    let document = try await dependencies.store.load()
    var sessions: [MCPSession] = []
    for entry in document.mcpServers {
      var settings = Settings()
      settings.session = entry.session
      let server = try MCPServer(entry.url, settings: settings, context: context)
      sessions.append(await server.session(entry, in: document))
    }
    return sessions
  }

  private func session(_ entry: MCPServerEntry, in document: TokenCacheDocument) async -> MCPSession {
    let lookup = await lookup(entry, in: document)
    let scopes = Scopes(usable: entry.accountKind == nil ? [] : entry.scopes)
    let token = lookup?.accessToken(in: document, scopes: scopes, validity: .seconds(0))
    return MCPSession(
      url: entry.url,
      name: entry.session,
      issuer: entry.issuer,
      clientID: entry.client.id,
      scopes: entry.scopes,
      username: entry.accountKind == nil ? nil : lookup?.account.username,
      expiresOn: token.map { Date(timeIntervalSince1970: Double($0.expiresOn)) },
      isRefreshable: lookup.map { !$0.refreshTokens(in: document).isEmpty } ?? false
    )
  }

  /// `nil` if the account is signed out, or the entry is invalid.
  private func lookup(_ entry: MCPServerEntry, in document: TokenCacheDocument) async -> TokenLookup? {
    guard let authority = try? entry.authority, let application = try? application(for: entry, authority),
      let account = try? await application.account(named: entry.accountID, in: document)
    else { return nil }
    return await TokenLookup(context: application.context, authority: authority, account: account)
  }

  /// Removes the server's tokens and registration, and has them revoked and deleted where the issuer allows it.
  ///
  /// A Microsoft account stays signed in: only the server's access token is removed.
  ///
  /// - Throws: `AuthenticationError` if they could not be removed here; the later steps only report.
  /// - Returns: The result of each step.
  public func signOut() async throws(AuthenticationError) -> MCPSignOutReport {
    // 1. Forget everything here first.
    let store = try await context.store.settled()
    let before = try await store.load()
    guard let entry = before.mcpServer(key) else {
      return MCPSignOutReport(removedSession: false, revocation: nil, deletedRegistration: nil, problems: [])
    }
    let others = before.mcpServers.filter { $0.key != key && $0.issuer == entry.issuer }
    let isShared = !others.isEmpty
    // Servers with one resource have the same tokens.
    let endsSession = !others.contains {
      ($0.resource, $0.client.id, $0.session) == (entry.resource, entry.client.id, entry.session)
    }
    let registration = isShared ? nil : before.registration(at: entry.issuer)
    let lookup = await lookup(entry, in: before)
    try await store.change { document in
      document.setMCPServer(key, nil)
      if !isShared { document.setRegistration(nil, at: entry.issuer) }
      guard entry.accountKind != nil, let lookup,
        let token = lookup.accessToken(in: document, scopes: Scopes(usable: entry.scopes), validity: .seconds(0))
      else { return }
      _ = document.removeAccessToken(token.secret, clientID: entry.client.id)
    }

    // 2. A session that is only for this server ends at the issuer too.
    let report = entry.accountKind == nil && endsSession ? try await end(entry) : nil

    // 3. The registration is deleted at the issuer (RFC 7592 §2.3).
    var problems = report?.problems ?? []
    var isDeleted: Bool?
    if let registration {
      do {
        isDeleted = try await delete(registration)
      } catch {
        isDeleted = false
        problems.append("the registration couldn't be deleted: \(error.message)")
      }
    }
    return MCPSignOutReport(
      removedSession: true,
      revocation: report?.revocation,
      deletedRegistration: isDeleted,
      problems: problems,
      session: report
    )
  }

  /// Ends a session that is only for this server: removes its tokens, and has them revoked.
  func end(_ entry: MCPServerEntry) async throws(AuthenticationError) -> SignOutReport {
    let application = try application(for: entry, try entry.authority)
    let report = try await application.signOut(try await application.account(named: nil))
    try await context.store.settled().change { document in
      let isUsed = document.mcpServers.contains { $0.client.id == entry.client.id }
      if entry.client.registeredScopes != nil, !isUsed { document.removeClient(entry.client.id) }
    }
    return report
  }

  /// Deletes the registrations that no session uses any more at their issuer.
  func deleteUnused(_ registrations: [MCPClient?]) async {
    guard let sessions = try? await context.store.load().mcpServers else { return }
    var kept = Set(sessions.map(\.client.id))
    for client in registrations.compactMap(\.self) where client.registeredScopes != nil {
      if kept.insert(client.id).inserted { _ = try? await delete(client) }
    }
  }

  private func delete(_ registration: MCPClient) async throws(AuthenticationError) -> Bool? {
    guard let url = registration.managementURL, let token = registration.managementToken else { return nil }
    var request = HTTPRequest(.delete, url)
    request.authorization = ("Bearer", token)
    let response = try await context.dependencies.send(request)
    guard response.status.isSuccessStatus else {
      throw AuthenticationError(unexpected: response, from: url, what: "a confirmation of the deletion")
    }
    return true
  }
}

extension MCPServerEntry {
  var authority: Authority {
    get throws(AuthenticationError) {
      guard let accountKind else { return try Authority(issuer: issuer, of: resource, session: session) }
      return try Authority(parsing: issuer, kind: Authority.Kind(rawValue: accountKind))
    }
  }
}
