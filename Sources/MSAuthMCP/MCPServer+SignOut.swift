public import MSAuth

/// The results of a sign-out from a server.
public struct MCPSignOutReport: Sendable {
  /// Whether there was a session.
  public internal(set) var removedSession = false
  /// The refresh token's revocation; `nil` if an account or another server uses it, which stays signed in.
  public var revocation: SignOutReport.Revocation? { session.map { (try? $0.get().revocation) ?? .failed } }
  /// Whether the registration was deleted at the issuer; `nil` if another server or a running sign-in uses it, or the issuer
  /// can't delete it.
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
    let before = try await context.store.load()
    guard let known = before.mcpServer(key) else { return MCPSignOutReport() }
    let hasRegistration = known.client.isRegistered || before.registration(at: known.issuer) != nil
    let lookup = await context.lookup(known, in: before)
    return try await context.whileHoldingRegistration(at: hasRegistration ? known.issuer : nil) {
      isExclusive async throws(AuthenticationError) in
      // 1. Remove the entry and all that only it uses here, in one write.
      var unused: [MCPClient] = []
      let removed = try await context.store.writable().change { document in
        let removed = context.setMCPServer(key, nil, in: &document)
        guard let entry = removed?.entry else { return removed }
        // A running sign-in uses the issuer's current registration, whose management token stays with it.
        let current = isExclusive ? document.removeUnusedRegistration(at: entry.issuer) : nil
        unused = [entry.client, current].compactMap(\.self)
        if entry.isForAccount, let lookup,
          let token = lookup.accessToken(in: document, scopes: Scopes(usable: entry.scopes), validity: .seconds(0))
        {
          _ = document.removeAccessToken(token.secret, clientID: entry.client.id)
        }
        if context.isOnSharedDevice, removed?.endsSession == true {
          // The device has one user, at every provider.
          document.removeAllAccountsAndSessions()
        }
        return removed
      }
      var report = MCPSignOutReport()
      guard let removed else { return report }
      report.removedSession = true

      // 2. A session that was only for this server ends at the issuer too.
      report.session = await removed.endSession()
      switch report.session {
      case .success(let session): report.problems = session.problems
      case .failure(let error): report.problems = ["the session couldn't be ended: \(error.message)"]
      case nil: break
      }

      // 3. The registrations that no session needs are deleted at the issuer.
      for result in await context.deleteUnused(unused.map { (removed.entry.issuer, $0) }) {
        switch result {
        case .success(let isDeleted): if isDeleted { report.deletedRegistration = report.deletedRegistration ?? true }
        case .failure(let error):
          report.deletedRegistration = false
          report.problems.append(error.message)
        }
      }
      return report
    }
  }

  /// Removes what no server uses, such as the tokens of a sign-in whose process died; when wiping, also registrations.
  package static func removeUnusedSessions(
    _ configuration: ClientConfiguration,
    wipes: Bool
  ) async throws(AuthenticationError) -> MCPLeftovers {
    let dependencies = try await Dependencies.system(for: configuration)
    let context = Context(configuration: configuration, dependencies: dependencies)
    return try await context.removeUnusedSessions(wipes: wipes)
  }
}
