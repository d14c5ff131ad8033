package import MSAuth

/// What was left of earlier sign-ins at servers, and has been removed.
package struct MCPLeftovers: Sendable {
  package internal(set) var isEmpty = true
  /// Whether there were refresh tokens, which weren't revoked: no entry has their client's secret.
  package internal(set) var hadRefreshTokens = false
  /// Why registrations weren't deleted.
  package internal(set) var failures: [AuthenticationError] = []
}

extension Context {
  func removeUnusedSessions(wipes: Bool) async throws(AuthenticationError) -> MCPLeftovers {
    var leftovers = MCPLeftovers()

    // 1. Tokens; no lock if there are none to remove.
    let before = try await store.load()
    var rest = before
    _ = rest.removeResources(besides: rest.usedTokens)
    if rest != before {
      leftovers.isEmpty = false
      leftovers.hadRefreshTokens = try await store.writable().change { document in
        document.removeResources(besides: document.usedTokens)
      }
    }

    // 2. Registrations.
    for issuer in wipes ? before.registrationIssuers : [] where rest.removeUnusedRegistration(at: issuer) != nil {
      leftovers.isEmpty = false
      do throws(AuthenticationError) {
        leftovers.failures += try await deleteUnusedRegistration(at: issuer)
      } catch {
        leftovers.failures.append(error)
      }
    }
    return leftovers
  }

  /// Deletes the registration that the next sign-in at the issuer would use; returns the failures at the issuer.
  private func deleteUnusedRegistration(at issuer: String) async throws(AuthenticationError) -> [AuthenticationError] {
    try await whileHoldingRegistration(at: issuer) { isExclusive async throws(AuthenticationError) in
      guard isExclusive else {
        let message = "another process is signing in at \(issuer.printable(limit: 200)), so its registration was kept"
        let hint: Hint = "finish the other sign-in in the browser, or end its process, then try again"
        throw AuthenticationError(.timedOut, message, reason: "registration_in_use", hint: hint)
      }
      let client = try await store.writable().change { $0.removeUnusedRegistration(at: issuer) }
      return await deleteUnused([client].compactMap(\.self).map { (issuer, $0) }).compactMap { result in
        if case .failure(let error) = result { error } else { nil }
      }
    }
  }
}
