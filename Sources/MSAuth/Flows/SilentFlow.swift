import FoundationEssentials
import OAuth
import Primitives
import TokenCache

/// Gives a token without a person: from the store, or by the refresh token (MSAL: `acquireTokenSilent`).
struct SilentFlow: Sendable {
  let configuration: Configuration
  let surroundings: Surroundings
  let parameters: SilentTokenParameters

  func run() async throws -> TokenResult {
    let authority = (parameters.authority ?? configuration.authority).rule
    let lookup = TokenLookup(
      configuration: configuration,
      surroundings: surroundings,
      authority: authority,
      account: parameters.account
    )

    // 1. The store as it is: no lock, no network.
    let document = try surroundings.store.read()
    try refuseIfSignedOut(in: document)
    if let stored = try storedToken(lookup, in: document) { return stored }

    // 2. One process refreshes, the others wait here and find its result.
    let metadata = try await ProviderDirectory(surroundings: surroundings).metadata(of: lookup.homeAuthority)
    let lock = try await surroundings.store.locked()
    defer { lock.release() }
    var current = try surroundings.store.read()
    try refuseIfSignedOut(in: current)
    if current != document, let stored = try storedToken(lookup, in: current) { return stored }

    // 3. The refresh token, newest first.
    guard let refreshToken = lookup.refreshTokens(in: current).first else {
      throw AuthenticationError(
        .interactionRequired,
        "\(parameters.account.username.printable()) has no refresh token, so a person has to sign in",
        reason: "no_refresh_token",
        hint: "run msauth login"
      )
    }
    let renewed: ReceivedTokens
    do {
      renewed = try await refresh(refreshToken, lookup: lookup, metadata: metadata, document: current)
    } catch let error as AuthenticationError where error.code == .providerUnreachable {
      // The provider is away, but the old token may have some life left: better than nothing.
      if let alive = lookup.accessToken(in: current, scopes: parameters.scopes, validAfter: surroundings.clock.now()),
        !parameters.forceRefresh, parameters.claims == nil, parameters.minimumValidity == nil
      {
        return lookup.result(alive, in: current, correlationID: correlationID)
      }
      throw error
    }

    // 4. The new refresh token is on disk before anyone gets the access token.
    try renewed.store(in: &current, createsAccount: false)
    try surroundings.store.write(current, holding: lock)
    return renewed.result(correlationID: correlationID)
  }

  private var correlationID: String { parameters.correlationID ?? "" }

  private func storedToken(_ lookup: TokenLookup, in document: TokenCacheDocument) throws -> TokenResult? {
    guard !parameters.forceRefresh, parameters.claims == nil else { return nil }
    let buffer = parameters.minimumValidity ?? configuration.tokenExpirationBuffer
    let now = surroundings.clock.now()
    guard let token = lookup.accessToken(in: document, scopes: parameters.scopes, validAfter: now + buffer) else {
      return nil
    }
    if let refreshOn = token.refreshOn, refreshOn <= now { return nil }
    return lookup.result(token, in: document, correlationID: correlationID)
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

  private func refresh(
    _ refreshToken: RefreshTokenEntry,
    lookup: TokenLookup,
    metadata: ProviderMetadata,
    document: TokenCacheDocument
  ) async throws -> ReceivedTokens {
    let scopes = try lookup.scopesForRefresh(asked: parameters.scopes, metadata: metadata)
    let id = parameters.correlationID ?? UUID().uuidString.lowercased()
    let request = TokenRequest(
      .refreshToken(refreshToken.secret, scopes: scopes),
      clientID: configuration.clientID,
      authority: lookup.homeAuthority,
      claims: parameters.claims,
      correlationID: id
    )
    let response: TokenResponse
    do {
      let endpoint = TokenEndpoint(
        surroundings: surroundings,
        metadata: metadata,
        clientSecret: configuration.clientSecret
      )
      response = try await endpoint.exchange(request, requesting: scopes)
    } catch let error as OAuthError {
      throw AuthenticationError(error, as: .serverError, correlationID: id)
    }
    return ReceivedTokens(
      response: response,
      claims: try await lookup.claims(of: response, metadata: metadata, in: document),
      authority: lookup.homeAuthority,
      clientID: configuration.clientID,
      now: surroundings.clock.now()
    )
  }
}
