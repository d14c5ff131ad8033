public import MSAuth

/// The results of a sign-out from a server.
public struct MCPSignOutReport: Sendable {
  /// Whether there was a session.
  public internal(set) var removedSession = false
  /// The refresh token's revocation; `nil` if an account or another server uses it, which stays signed in.
  public var revocation: SignOutReport.Revocation? { session.map { (try? $0.get().revocation) ?? .failed } }
  /// Whether the registration was deleted at the issuer; `nil` if another server uses it, or the issuer can't delete it.
  public internal(set) var deletedRegistration: Bool?
  /// The failed steps and why, one sentence per failure.
  public internal(set) var problems: [String] = []
  /// The end of a session that was only for this server.
  package internal(set) var session: Result<SignOutReport, AuthenticationError>?
}

extension MCPServer {
  /// Removes the server's tokens and registration here, then at the issuer, as far as the issuer allows.
  ///
  /// A Microsoft account stays signed in: only the server's access token is removed.
  ///
  /// - Throws: `AuthenticationError` if they could not be removed here; the later steps only report.
  /// - Returns: The result of each step.
  public func signOut() async throws(AuthenticationError) -> MCPSignOutReport {
    // 1. Forget everything here first.
    let store = try await context.store.writable()
    let before = try await store.load()
    var report = MCPSignOutReport()
    guard let entry = before.mcpServer(key) else { return report }
    let others = before.mcpServers.filter { $0.key != key && $0.issuer == entry.issuer }
    // Servers with one resource have the same tokens.
    let endsSession = !others.contains {
      ($0.resource, $0.client.id, $0.session) == (entry.resource, entry.client.id, entry.session)
    }
    let unused = unusedRegistrations(of: entry, besides: others, in: before)
    let lookup = await context.lookup(entry, in: before)
    try await store.change { document in
      document.setMCPServer(key, nil)
      if let next = document.registration(at: entry.issuer), unused.contains(where: { $0.id == next.id }) {
        document.setRegistration(nil, at: entry.issuer)
      }
      guard entry.isForAccount, let lookup,
        let token = lookup.accessToken(in: document, scopes: Scopes(usable: entry.scopes), validity: .seconds(0))
      else { return }
      _ = document.removeAccessToken(token.secret, clientID: entry.client.id)
    }

    // 2. A session that is only for this server ends at the issuer too.
    report.removedSession = true
    if !entry.isForAccount, endsSession {
      do {
        let session = try await endSession(of: entry)
        (report.session, report.problems) = (.success(session), session.problems)
      } catch {
        // The tokens may still be here.
        guard error.code != .storeUnavailable, error.code != .canceled else { throw error }
        (report.session, report.problems) = (.failure(error), ["the session couldn't be ended: \(error.message)"])
      }
    }

    // 3. The registrations that no other server uses are deleted at the issuer.
    for client in unused {
      do {
        if try await delete(client) { report.deletedRegistration = report.deletedRegistration ?? true }
      } catch {
        report.deletedRegistration = false
        report.problems.append("the registration couldn't be deleted: \(error.message)")
      }
    }
    return report
  }

  /// The registrations at the entry's issuer that the other servers there don't use.
  private func unusedRegistrations(
    of entry: MCPServerEntry,
    besides others: [MCPServerEntry],
    in document: TokenCacheDocument
  ) -> [MCPClient] {
    var clients = [entry.client]
    // The next sign-in at the issuer would use this one.
    if others.isEmpty, let next = document.registration(at: entry.issuer), next.id != entry.client.id {
      clients.append(next)
    }
    return clients.filter { client in
      client.isRegistered && !others.contains { $0.client.id == client.id }
    }
  }

  /// Ends a session that is only for this server: removes its tokens, and has them revoked.
  func endSession(of entry: MCPServerEntry) async throws(AuthenticationError) -> SignOutReport {
    let application = try context.application(for: entry, try entry.authority)
    let report = try await application.signOut(try await application.account(named: nil))
    try await context.store.writable().change { document in
      let isUsed = document.mcpServers.contains { $0.client.id == entry.client.id }
      if entry.client.isRegistered, !isUsed { document.removeClient(entry.client.id) }
    }
    return report
  }
}
