import FoundationEssentials
import OAuth
import Core
import TokenCache

/// Gets new tokens of an account by its refresh token (RFC 6749 §6).
///
/// Of concurrent processes one asks the provider: some providers accept each refresh token once, and a second request
/// would end the session.
struct TokenRefresher: Sendable {
  /// How often to look for the refresh token of a program that does not hold our lock while it refreshes: MSAL Python may
  /// have waited for our lock alone, and tries every 0.25 s.
  private static let replacementReads = 30
  private static let replacementInterval: Duration = .milliseconds(50)
  /// How long to wait for the lock at a time before reading what its owner has stored.
  private static let lockInterval: Duration = .milliseconds(100)

  let context: Context
  let parameters: SilentTokenParameters
  let lookup: TokenLookup
  private let correlationID: String

  init(context: Context, parameters: SilentTokenParameters, lookup: TokenLookup) {
    self.context = context
    self.parameters = parameters
    self.lookup = lookup
    self.correlationID = parameters.correlationID ?? UUID().uuidString.lowercased()
  }

  /// How a refresh ended.
  private enum Outcome: Sendable {
    /// New tokens, stored by then; or those that another process has stored.
    case tokens(TokenResult)
    /// The provider accepts these refresh tokens no more; another one may do.
    case refused([Secret], AuthenticationError)
    /// Another refresh token would not help.
    case failed(AuthenticationError)
  }

  func run() async throws -> TokenResult {
    let directory = ProviderDirectory(dependencies: context.dependencies)
    let metadata = try await directory.metadata(of: lookup.homeAuthority)
    // The keys before the refresh token: once that is used, nothing may come between its response and the store.
    _ = try await directory.keys(of: metadata)
    var refused: [Secret] = []
    while true {
      let isFirst = refused.isEmpty
      switch try await refreshOnce(metadata, except: refused) {
      case .tokens(let result): return result
      case .failed(let error): throw error
      case .refused(let tokens, let error):
        refused += tokens
        if isFirst {
          guard !error.isThrottled else { throw error }
          // Another process may have used the refresh token before us and be about to store the new one.
          if try await isReplaced(refused) { continue }
        }
        await throttle(refused, error, metadata: metadata)
        throw error
      }
    }
  }

  /// Refreshes under the lock, unless its owner stores what is wanted.
  private func refreshOnce(_ metadata: ProviderMetadata, except refused: [Secret]) async throws -> Outcome {
    let store = context.dependencies.store
    // A suspending clock: the processes that are waited for sleep when the machine does.
    let clock = SuspendingClock()
    let deadline = clock.now.advanced(by: storeLockTimeout)
    while true {
      let isLast = clock.now >= deadline
      guard let lock = try await store.lock(within: Self.lockInterval, isRequired: isLast) else {
        if let result = try lookup.currentResult(for: parameters, in: try await store.read()) { return .tokens(result) }
        continue
      }
      // Once the provider has accepted the old refresh token, only its response is of use: no Ctrl-C in between.
      return try await withCancellationShield {
        defer { lock.release() }
        return try await refresh(metadata, except: refused, holding: lock)
      }
    }
  }

  /// Tries the refresh tokens, newest first; a second one is the family's.
  private func refresh(
    _ metadata: ProviderMetadata,
    except refused: [Secret],
    holding lock: TokenCacheLock
  ) async throws -> Outcome {
    // 1. Read again, now that no other process writes.
    let document = try await context.dependencies.store.read()
    if let result = try lookup.currentResult(for: parameters, in: document) { return .tokens(result) }

    // 2. A used refresh token could not be taken back, so its successor must find room.
    try await context.dependencies.store.checkWritable(lock)

    // 3. The tokens whose grant covers the scopes.
    let tokens = lookup.refreshTokens(in: document).filter { !refused.contains($0.secret) }
    let candidates = tokens.filter { lookup.grants(parameters.scopes, $0) }
    var refusal: (tokens: [Secret], error: AuthenticationError)?
    for token in candidates {
      switch try await refresh(by: token, metadata: metadata, document: document, holding: lock) {
      case .refused(let tokens, let error): refusal = ((refusal?.tokens ?? []) + tokens, refusal?.error ?? error)
      case let outcome: return outcome
      }
    }
    if let refusal { return .refused(refusal.tokens, refusal.error) }
    return .failed(candidates.count < tokens.count ? scopesNotGranted : lookup.refusalOfAll(in: document) ?? noToken)
  }

  /// Sends one refresh token, unless the same request failed a moment ago in any process, and stores the new tokens.
  ///
  /// A refused one stays in the store: it lists the account, and throttling keeps it from being sent.
  private func refresh(
    by token: RefreshTokenEntry,
    metadata: ProviderMetadata,
    document: TokenCacheDocument,
    holding lock: TokenCacheLock
  ) async throws -> Outcome {
    let throttle = throttle(of: token.secret, endpoint: metadata.tokenEndpoint)
    if let error = throttle.hit(in: document, now: context.dependencies.clock.now()) {
      return error.isAboutTheRefreshToken ? .refused([token.secret], error) : .failed(error)
    }
    let tokens: ValidatedTokens
    do {
      tokens = try await request(by: token, metadata: metadata, document: document)
    } catch let error as AuthenticationError {
      // A program that takes no lock may be about to store the successor of a refused refresh token: nothing is written
      // before that is known.
      if error.isAboutTheRefreshToken { return .refused([token.secret], error) }
      await note(error, throttle, holding: lock)
      return .failed(error)
    }
    // The new refresh token is on disk before the caller gets the access token.
    var document = document
    try tokens.store(in: &document, createsAccount: false)
    try await context.dependencies.store.write(document, holding: lock)
    return .tokens(try tokens.fullResult(correlationID: correlationID))
  }

  /// Sends the token request, and validates that the response is of the same account.
  private func request(
    by token: RefreshTokenEntry,
    metadata: ProviderMetadata,
    document: TokenCacheDocument
  ) async throws -> ValidatedTokens {
    do {
      let scopes = try lookup.scopesForRefresh(asked: parameters.scopes, metadata: metadata)
      let key = lookup.key(token.keyID, in: document)
      var request = TokenRequest(
        // Asks for nothing that was not granted.
        .refreshToken(token.secret, scopes: scopes, granted: lookup.granted(token)),
        clientID: context.configuration.clientID,
        authority: lookup.homeAuthority,
        claims: try ClaimsParameter.merging(
          parameters.claims,
          capabilities: context.configuration.clientCapabilities
        ),
        correlationID: correlationID,
        resource: parameters.resource
      )
      request.extraQuery = parameters.extraQueryParameters
      let response = try await TokenEndpoint(context: context, metadata: metadata, key: key)
        .tokens(for: request, requesting: scopes)
      let tokens = ValidatedTokens(
        response: response,
        claims: try await lookup.claims(of: response, metadata: metadata, in: document),
        authority: lookup.homeAuthority,
        clientID: context.configuration.clientID,
        now: context.dependencies.clock.now(),
        asked: try Scopes(parameters.scopes),
        refreshedBy: token,
        account: parameters.account,
        key: key
      )
      try tokens.checkAccount()
      return tokens
    } catch let error as OAuthError {
      let origin = context.origin(at: lookup.homeAuthority, correlationID: correlationID)
      throw AuthenticationError(error, as: .invalidParameter, of: origin)
    }
  }

  /// Whether the store has another refresh token than the refused ones by now, or soon.
  private func isReplaced(_ refused: [Secret]) async throws -> Bool {
    for _ in 0..<Self.replacementReads {
      let document = try await context.dependencies.store.read()
      if lookup.refreshTokens(in: document).contains(where: { !refused.contains($0.secret) }) { return true }
      try await Task.sleep(for: Self.replacementInterval)
    }
    return false
  }
}

// MARK: - Throttling

extension TokenRefresher {
  private func throttle(of token: Secret, endpoint: String) -> Throttle {
    Throttle(
      endpoint: endpoint,
      clientID: context.configuration.clientID,
      account: parameters.account.identifier,
      details: [
        parameters.scopes.map { $0.lowercased() }.sorted().joined(separator: " "), parameters.claims ?? "",
        parameters.resource ?? "", token.revealed,
      ]
    )
  }

  /// Stores that these refresh tokens were refused, so that no process sends them again at once.
  private func throttle(_ refused: [Secret], _ error: AuthenticationError, metadata: ProviderMetadata) async {
    guard let lock = try? await context.dependencies.store.locked() else { return }
    defer { lock.release() }
    for token in refused {
      await note(error, throttle(of: token, endpoint: metadata.tokenEndpoint), holding: lock)
    }
  }

  /// Stores a failure; if that fails, the failure itself still matters more.
  private func note(_ error: AuthenticationError, _ throttle: Throttle, holding lock: TokenCacheLock) async {
    guard var document = try? await context.dependencies.store.read(),
      throttle.note(error, in: &document, now: context.dependencies.clock.now())
    else { return }
    try? await context.dependencies.store.write(document, holding: lock)
  }
}

// MARK: - Errors

extension TokenRefresher {
  private var scopesNotGranted: AuthenticationError {
    let name = parameters.account.username.printable()
    let scopes = parameters.scopes.joined(separator: " ").printable(limit: 200)
    return AuthenticationError(
      .interactionRequired,
      "\(name) has not granted \(scopes), so a person has to",
      reason: .scopesNotGranted,
      remedy: .signIn(scopes: parameters.scopes)
    )
  }

  private var noToken: AuthenticationError {
    AuthenticationError(
      .interactionRequired,
      "\(parameters.account.username.printable()) has no refresh token, so a person has to sign in",
      reason: .noRefreshToken,
      remedy: .signIn()
    )
  }
}

extension AuthenticationError {
  /// Whether another refresh token may do where this one failed: it is not the person's consent or second factor that
  /// is missing (Entra says which by `suberror`).
  fileprivate var isAboutTheRefreshToken: Bool {
    guard let provider, provider.error == "invalid_grant" else { return false }
    return provider.subError.map { ["bad_token", "token_expired", "client_mismatch"].contains($0) } ?? true
  }
}
