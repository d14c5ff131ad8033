import MSAuth

/// A server's entry that a sign-in or a sign-out has removed from the store.
struct MCPRemovedEntry: Sendable {
  let entry: MCPServerEntry
  /// The end of its session, whose tokens were removed with it; `nil` if an account or another server uses them.
  fileprivate let signOut: Result<ResourceSignOut, AuthenticationError>?

  var endsSession: Bool { signOut != nil }

  /// Ends the session at its issuer; `nil` if the session continues.
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
  ) -> MCPRemovedEntry? {
    let earlier = document.mcpServer(key)
    document.setMCPServer(key, entry)
    guard let earlier else { return nil }
    var signOut: Result<ResourceSignOut, AuthenticationError>?
    do throws(AuthenticationError) {
      if let tokens = try earlier.tokenQuery, !document.usedTokens.contains(where: tokens.isCovered(by:)) {
        let application = try application(for: earlier, try earlier.authority)
        signOut = application.removeResourceSession(from: &document).map { .success($0) }
      }
    } catch {
      signOut = .failure(error)
    }
    document.removeState(of: earlier.client)
    return MCPRemovedEntry(entry: earlier, signOut: signOut)
  }
}

extension MCPServerEntry {
  /// The session's tokens; `nil` if an account has them.
  fileprivate var tokenQuery: CacheQuery? {
    get throws(AuthenticationError) {
      guard !isForAccount else { return nil }
      let authority = try authority
      return CacheQuery(authority, account: authority.subject.name, clientID: client.id)
    }
  }
}

extension TokenCacheDocument {
  /// The tokens of the servers' sessions; servers with one resource have the same.
  var usedTokens: [CacheQuery] { mcpServers.compactMap { try? $0.tokenQuery } }
}
