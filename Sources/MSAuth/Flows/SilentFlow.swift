import OAuth
import Primitives
import TokenCache

/// Gives a token without a person: from the store, or by the refresh token (MSAL: `acquireTokenSilent`).
struct SilentFlow: Sendable {
  let configuration: Configuration
  let surroundings: Surroundings
  let parameters: SilentTokenParameters

  func run() async throws -> TokenResult {
    let lookup = TokenLookup(
      configuration: configuration,
      surroundings: surroundings,
      authority: (parameters.authority ?? configuration.authority).rule,
      account: parameters.account
    )

    // 1. The store as it is: no lock, no network.
    let document = try surroundings.store.read()
    try refuseIfSignedOut(in: document)
    if let stored = storedToken(lookup, in: document) { return stored }

    // 2. One process renews, the others wait and find its result.
    do {
      return try await Renewal(
        configuration: configuration,
        surroundings: surroundings,
        parameters: parameters,
        lookup: lookup,
        answer: { current in
          try refuseIfSignedOut(in: current)
          return current == document ? nil : storedToken(lookup, in: current)
        }
      ).run()
    } catch let error as AuthenticationError where error.code == .providerUnreachable {
      // 3. The provider is away, but the old token may have some life left: better than nothing.
      guard let alive = lastResort(lookup, in: document) else { throw error }
      return alive
    }
  }

  private func storedToken(_ lookup: TokenLookup, in document: TokenCacheDocument) -> TokenResult? {
    guard !parameters.forceRefresh, parameters.claims == nil else { return nil }
    let buffer = parameters.minimumValidity ?? configuration.tokenExpirationBuffer
    let now = surroundings.clock.now()
    guard let token = lookup.accessToken(in: document, scopes: parameters.scopes, validAfter: now + buffer) else {
      return nil
    }
    if let refreshOn = token.refreshOn, refreshOn <= now { return nil }
    return lookup.result(token, in: document, correlationID: parameters.correlationID ?? "")
  }

  private func lastResort(_ lookup: TokenLookup, in document: TokenCacheDocument) -> TokenResult? {
    guard !parameters.forceRefresh, parameters.claims == nil, parameters.minimumValidity == nil else { return nil }
    let now = surroundings.clock.now()
    return lookup.accessToken(in: document, scopes: parameters.scopes, validAfter: now).map {
      lookup.result($0, in: document, correlationID: parameters.correlationID ?? "")
    }
  }

  private func refuseIfSignedOut(in document: TokenCacheDocument) throws {
    guard document.isSignedOut(homeAccountID: parameters.account.identifier, clientID: configuration.clientID) else {
      return
    }
    throw AuthenticationError(
      .interactionRequired,
      "\(parameters.account.username.printable()) is signed out",
      reason: "signed_out",
      hint: "run msauth login"
    )
  }
}
