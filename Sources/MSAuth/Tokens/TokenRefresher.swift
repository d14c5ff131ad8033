import MSAuthJOSE
import MSAuthUnix

/// Refreshes tokens (RFC 6749 §6) in one of N processes, since some providers accept a refresh token only once.
struct TokenRefresher: Sendable {
  /// How often to look for a token from a program that ignores the lock.
  private static let replacementReads = 30
  private static let replacementInterval: Duration = .milliseconds(50)
  private static let recentUse: UnixTime = 600
  /// How long to wait for the lock before reading what its owner has stored.
  private static let lockInterval: Duration = .milliseconds(100)
  /// How long after Ctrl-C a request may still be sent.
  private static let cancellationGrace: Duration = .seconds(3)

  private let request: ResolvedRequest
  private let lookup: TokenLookup
  private let provider: Provider
  private let keys: JSONWebKeySet
  private var context: Context { provider.context }

  /// Fetches metadata and keys first, so that a new refresh token is stored without delay.
  init(request: ResolvedRequest, lookup: TokenLookup) async throws(AuthenticationError) {
    provider = try await Provider(lookup.context, at: lookup.homeAuthority, correlationID: request.correlationID)
    keys = try await provider.signingKeys()
    var lookup = lookup
    lookup.tenantID = provider.metadata.tenantID
    self.lookup = lookup
    self.request = request
  }

  private enum Attempt: Sendable {
    /// New tokens, which are stored; or those that another process has stored.
    case tokens(TokenResult)
    /// The provider rejects these refresh tokens; another may work.
    case rejected([RejectedToken])
    /// Another refresh token wouldn't help.
    case failed(AuthenticationError)
  }

  /// A rejected refresh token; the error may be a recent one, without another request.
  private typealias RejectedToken = (token: Secret, error: AuthenticationError)

  func run() async throws(AuthenticationError) -> TokenResult {
    var rejections: [RejectedToken] = []
    while true {
      let isFirst = rejections.isEmpty
      switch try await refreshUnderLock(except: rejections.map(\.token)) {
      case .tokens(let result): return result
      case .failed(let error):
        await record(rejections)
        throw error
      case .rejected(let latest):
        rejections = latest + rejections
        // The provider's latest error; if nothing was sent, the rejections are stored already.
        guard let error = rejections.lazy.map(\.error).first(where: { !$0.isThrottled }) else { throw latest[0].error }
        // Another process may have used the refresh token before us and be about to store the new one.
        if isFirst, try await isReplaced(rejections.map(\.token)) { continue }
        await record(rejections, needSignIn: true)
        throw error
      }
    }
  }

  /// Refreshes under the lock, unless its owner stores a suitable token.
  private func refreshUnderLock(except rejected: [Secret]) async throws(AuthenticationError) -> Attempt {
    let store = try await context.store.writable()
    let deadline = Deadline(in: storeLockTimeout)
    while true {
      let acquire = { () async throws(AuthenticationError) in try await store.lock(within: Self.lockInterval) }
      guard let lock = try await deadline.hasPassed ? acquire() : unlessHeld(acquire) else {
        if let result = try lookup.currentResult(for: request, in: try await store.load()) { return .tokens(result) }
        continue
      }
      // Once the provider has accepted the old refresh token, Ctrl-C must not discard the response.
      let attempt = try await withCancellationShield(grace: Self.cancellationGrace) {
        try await lock.whileHeld { try await tryTokens(except: rejected, holding: lock, until: deadline) }
      }
      if let attempt { return attempt }
    }
  }

  /// Tries the refresh tokens, newest first, the family's last; `nil` if another program removed the lock before that.
  private func tryTokens(
    except rejected: [Secret],
    holding lock: TokenCacheLock,
    until deadline: Deadline
  ) async throws(AuthenticationError) -> Attempt? {
    // 1. Read again under the lock.
    let document = try await context.store.load()
    if let result = try lookup.currentResult(for: request, in: document) { return .tokens(result) }

    // 2. A refresh token can be used only once, so its successor must be storable.
    do throws(AuthenticationError) {
      try await context.store.writable().checkWritable(holding: lock)
    } catch {
      guard error.reason == .locked else { throw error }
      return deadline.hasPassed ? .failed(error) : nil
    }

    // 3. The tokens whose grant covers the scopes.
    let tokens = lookup.refreshTokens(in: document).filter { !rejected.contains($0.secret) }
    let candidates = tokens.filter { lookup.grants(request.scopes, $0) }
    var rejections: [RejectedToken] = []
    for token in candidates {
      switch try await spend(token, document: document, holding: lock) {
      case .rejected(let more): rejections += more
      case .tokens(let result): return .tokens(result)
      case .failed(let error):
        // Without these records, the next attempt would send the rejected tokens first.
        await note(rejections, holding: lock)
        return .failed(error)
      }
    }
    if !rejections.isEmpty { return .rejected(rejections) }
    return .failed(candidates.count < tokens.count ? scopesNotGranted : lookup.whyNoRefreshToken(in: document))
  }

  /// Sends one refresh token, unless that failed recently in any process; a rejected one stays, and is throttled.
  private func spend(
    _ token: RefreshTokenEntry,
    document: TokenCacheDocument,
    holding lock: TokenCacheLock
  ) async throws(AuthenticationError) -> Attempt {
    // 1. Skip it if it just failed.
    let throttle = throttle(for: token.secret)
    if let error = throttle.recentFailure(in: document) {
      return error.isAboutTheRefreshToken ? .rejected([(token.secret, error)]) : .failed(error)
    }

    // 2. Send it.
    var provider = provider
    provider.key = lookup.key(token.keyID, in: document)
    let response: TokenResponse
    do {
      let scopes = request.scopes.forRequest(authority: provider.authority, metadata: provider.metadata)
      let grant: TokenRequest.Grant = .refreshToken(token.secret, scopes: scopes, granted: lookup.granted(token))
      response = try await provider.tokens(for: request.tokenRequest(grant), requesting: scopes)
    } catch {
      let error = provider.withProviderHint(error.provider.map { AuthenticationError($0, isRefresh: true) } ?? error)
      // A program without the lock may be about to store a successor, so nothing is written yet.
      if error.isAboutTheRefreshToken { return .rejected([(token.secret, error)]) }
      await throttle.note(error, holding: lock)
      return .failed(error)
    }

    // 3. Check whose tokens came back.
    var tokens: ValidatedTokens
    do {
      tokens = try validated(response, to: token, from: provider, keys, document)
    } catch {
      // The tokens are another user's. Not even the refresh token is stored: a later response to it may have no ID token to
      // check. The old one stays, and isn't sent again soon.
      await throttle.note(error, isForeign: true, holding: lock)
      return .failed(error)
    }

    // 4. Store the new refresh token before the caller gets the access token, and before anything else is requested.
    let saved = try await save(tokens, in: document, spending: token.secret, holding: lock)
    if let flaw = response.flaw { return .failed(flaw) }

    // 5. The provider may have changed its keys since; with the new ones, the ID token can be verified after all.
    if tokens.idTokenRejection?.mayComeFromStaleKeys == true, let keys = try? await provider.refetchedKeys(),
      let verified = try? validated(response, to: token, from: provider, keys, document)
    {
      tokens = verified
      let current = response.refreshToken ?? token.secret
      _ = try? await save(tokens, in: saved, spending: current, holding: lock)
    }
    if let rejection = tokens.idTokenRejection {
      context.configuration.log(.warning, "the refreshed ID token: \(user: rejection.description)")
    }
    return .tokens(try tokens.fullResult())
  }

  /// Returns the changed document.
  private func save(
    _ tokens: ValidatedTokens,
    in old: TokenCacheDocument,
    spending token: Secret,
    holding lock: TokenCacheLock
  ) async throws(AuthenticationError) -> TokenCacheDocument {
    var changed = old
    try tokens.store(in: &changed, createsAccount: false)
    changed.setRejectedHashes([], of: lookup.accountKey)
    do {
      let store = try await context.store.writable()
      // An unstructured task isn't canceled with this one.
      let commit = Task { [changed] in
        try await store.commit(from: old, to: changed, spending: token, holding: lock)
      }
      if let failure = try await commit.get() {
        context.configuration.log(.warning, "\(user: failure.message); the new tokens will be stored later")
      }
    } catch {
      throw error.with {
        $0.message += "; if the provider accepts a refresh token only once, the stored one is now invalid"
      }
    }
    return changed
  }

  /// Validates that the response is for the same account.
  private func validated(
    _ response: TokenResponse,
    to token: RefreshTokenEntry,
    from provider: Provider,
    _ keys: JSONWebKeySet,
    _ document: TokenCacheDocument
  ) throws(AuthenticationError) -> ValidatedTokens {
    var (claims, response) = (lookup.knownClaims(in: document), response)
    var rejection: TokenRejection?
    // Compare the subject even if the ID token can't be verified.
    let subject = response.idToken.flatMap { try? IDToken.unverifiedClaims($0).subject } ?? claims.subject
    if let received = response.idToken {
      switch try provider.validateRefreshed(received, beside: response.accessToken, after: claims, keys: keys) {
      case .accepted(let refreshed): claims = refreshed
      case .dropped(let error): (response.idToken, rejection) = (nil, error)
      }
    }
    // Entra's subjects differ per application; only client info identifies the account. Elsewhere, subjects are case-sensitive
    // (OpenID Connect Core §2).
    let (account, issuer) = (lookup.account, provider.authority.issuer)
    if let found = response.accountID ?? (issuer == nil ? nil : subject),
      !AccountID.areSame(found, account.identifier, at: issuer)
    {
      let message = "the provider returned tokens of a different account than \(account.username.printable())"
      throw AuthenticationError(.invalidResponse, message, reason: .accountMismatch)
    }
    var tokens = ValidatedTokens(response, claims: claims, for: request, from: provider, spending: token, of: account)
    tokens.idTokenRejection = rejection
    return tokens
  }

  /// Whether the store has another refresh token, or gets one soon.
  private func isReplaced(_ rejected: [Secret]) async throws(AuthenticationError) -> Bool {
    for _ in 0..<Self.replacementReads {
      let document = try await context.store.load()
      if lookup.refreshTokens(in: document).contains(where: { !rejected.contains($0.secret) }) { return true }
      if document.lastUse(matching: lookup.query) < context.now - Self.recentUse { return false }
      try await Self.replacementInterval.sleep()
    }
    return false
  }

  private func throttle(for token: Secret) -> Throttle {
    Throttle(request, of: lookup.account, by: token, at: provider)
  }

  /// Stores that these refresh tokens were rejected, so that no process sends them again soon.
  private func record(_ rejections: [RejectedToken], needSignIn: Bool = false) async {
    guard !rejections.isEmpty, let store = try? await context.store.writable() else { return }
    try? await store.whileLocked { lock in
      if needSignIn, var document = try? await store.load() {
        document.setRejectedHashes(rejections.map(\.token.digest), of: lookup.accountKey)
        try? await store.save(document, holding: lock)
      }
      await note(rejections, holding: lock)
    }
  }

  /// Skips tokens that weren't sent, so that their interval isn't extended.
  private func note(_ rejections: [RejectedToken], holding lock: TokenCacheLock) async {
    for rejection in rejections where !rejection.error.isThrottled {
      await throttle(for: rejection.token).note(rejection.error, holding: lock)
    }
  }

  private var scopesNotGranted: AuthenticationError {
    let name = lookup.account.username.printable()
    let scopes = request.scopes.joined.printable(limit: 200)
    let message = "\(name) hasn't granted \(scopes)"
    let hint: Hint = "\(signIn: request.scopes.names)"
    return AuthenticationError(.interactionRequired, message, reason: "scopes_not_granted", hint: hint)
  }
}

extension AuthenticationError {
  /// Whether another refresh token may help.
  fileprivate var isAboutTheRefreshToken: Bool {
    provider.map { $0.refreshRejection == .token } ?? (reason == .refreshTokenRefused)
  }
}
