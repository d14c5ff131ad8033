import MSAuth

/// A server's entry that a sign-in or a sign-out has removed from the store.
struct MCPReplacedEntry: Sendable {
  let entry: MCPServerEntry
  /// The end of its session, whose tokens were removed with it; `nil` if an account or another server uses them.
  fileprivate let signOut: Result<ResourceSignOut, AuthenticationError>?

  /// Ends the session at its issuer; `nil` if it goes on.
  func endSession() async -> Result<SignOutReport, AuthenticationError>? {
    switch signOut {
    case .success(let signOut): .success(await signOut.finish())
    case .failure(let error): .failure(error)
    case nil: nil
    }
  }
}

extension Context {
  /// Sets or removes a server's entry, and removes what only the earlier entry used; returns the earlier one.
  func setMCPServer(
    _ key: String,
    _ entry: MCPServerEntry?,
    in document: inout TokenCacheDocument
  ) -> MCPReplacedEntry? {
    let earlier = document.mcpServer(key)
    document.setMCPServer(key, entry)
    guard let earlier else { return nil }
    var signOut: Result<ResourceSignOut, AuthenticationError>?
    if !earlier.isForAccount, !document.mcpServers.contains(where: earlier.hasSameTokens(as:)) {
      do throws(AuthenticationError) {
        let application = try application(for: earlier, try earlier.authority)
        signOut = ResourceSignOut(application, from: &document).map { .success($0) }
      } catch {
        signOut = .failure(error)
      }
    }
    document.removeState(of: earlier.client)
    return MCPReplacedEntry(entry: earlier, signOut: signOut)
  }

  func removeUnusedSessions(wipes: Bool) async throws(AuthenticationError) -> Bool {
    @Sendable func remove(from document: inout TokenCacheDocument) -> [(issuer: String, client: MCPClient)] {
      document.removeResources(besides: document.mcpServers.compactMap(\.tokenQuery))
      let issuers = wipes ? document.registrationIssuers : []
      return issuers.compactMap { issuer in document.removeUnusedRegistration(at: issuer).map { (issuer, $0) } }
    }
    // No lock if there is nothing to remove.
    let before = try await store.load()
    var copy = before
    _ = remove(from: &copy)
    guard copy != before else { return false }
    let registrations = try await store.writable().change { remove(from: &$0) }
    await deleteUnused(registrations)
    return true
  }
}

extension MCPServerEntry {
  /// Whether the other entry uses the same tokens, as servers with one resource do.
  fileprivate func hasSameTokens(as other: MCPServerEntry) -> Bool {
    (issuer, resource, client.id, session, accountKind)
      == (other.issuer, other.resource, other.client.id, other.session, other.accountKind)
  }

  /// The session's tokens; `nil` if an account has them.
  fileprivate var tokenQuery: CacheQuery? {
    guard !isForAccount, let authority = try? authority else { return nil }
    return CacheQuery(authority, account: authority.subject.name, clientID: client.id)
  }
}
