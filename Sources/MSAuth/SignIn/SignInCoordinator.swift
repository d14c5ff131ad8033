import MSAuthCrypto

/// Lets concurrent processes that need the same sign-in share one prompt.
struct SignInCoordinator: Sendable {
  /// A sign-in that ended this many seconds ago is still joined: the caller may have read the store just before.
  static let justEnded: UnixTime = 10
  /// How often a waiting process looks for the result.
  private static let pollInterval: Duration = .milliseconds(200)

  let context: Context
  let request: ResolvedRequest
  private var interaction: Interaction { request.interaction }
  private var newerThan: UnixTime? { request.forceRefresh ? interaction.newerThan : nil }

  /// Signs in, or waits for another process that does.
  func run(_ signIn: () async throws -> TokenResult) async throws -> TokenResult {
    guard let lock = context.store.cacheFile.map({ LockFile(ofSignIn: purpose, beside: $0) }) else {
      return try await signIn()
    }
    guard joins else {
      // Other processes may join this sign-in, but it doesn't wait for one.
      guard let held = try? await lock.acquire(within: .zero) else { return try await signIn() }
      return try await held.whileHeld(signIn)
    }

    // 1. A sign-in may have ended since the caller read the store.
    let before = try await context.store.load()
    let stored = await storedToken(in: before)
    if let stored, isRecent(stored.token) {
      let result = stored.lookup.result(stored.token, in: before, correlationID: request.correlationID ?? "")
      // The token may come from a refresh without an ID token, which can be the reason for the sign-in.
      if !request.requiresIDToken || stored.lookup.hasIDToken(result, validity: .seconds(0)) { return result }
    }
    let refused = newerThan == nil ? nil : stored?.token.secret

    // 2. One process prompts the user; the others wait for what it stores.
    let clock = ContinuousClock()
    let deadline = clock.now.advanced(by: interaction.browserTimeout)
    var seen = before
    var hasWaited = false
    while true {
      let held = try await unlessHeld { () async throws(AuthenticationError) in
        try await lock.acquire(within: hasWaited ? Self.pollInterval : .zero)
      } onOwner: { owner in
        if !hasWaited { interaction.onEvent?(.joining(owner: owner)) }
      }
      if let held {
        return try await held.whileHeld {
          // Each snapshot is compared with the previous one; a second read in between would hide a change.
          let current = try await context.store.load()
          if current != seen, let result = try await result(in: current, insteadOf: refused) { return result }
          // If nobody signed in meanwhile, the user didn't want to; the waiting processes don't prompt again.
          if !hasWaited || lastSignIn(in: current) != lastSignIn(in: before) { return try await signIn() }
          let message = "another process was signing in, but didn't get a token"
          throw AuthenticationError(.interactionRequired, message, reason: "joined_sign_in_failed", hint: .tryAgain)
        }
      }
      let current = try await context.store.load()
      if current != seen, let result = try await result(in: current, insteadOf: refused) { return result }
      seen = current
      guard clock.now < deadline else {
        let limit = interaction.browserTimeout.secondsRoundedUp
        let message = "another process was signing in for more than \(limit) s"
        let hint: Hint = "finish the other sign-in in the browser, or end its process"
        throw AuthenticationError(.timedOut, message, reason: "joined_sign_in_slow", hint: hint)
      }
      hasWaited = true
    }
  }

  /// A request with special requirements can't use the result of another.
  private var joins: Bool {
    interaction.joinsRunningSignIn && interaction.prompt == nil && interaction.maxAge == nil
      && interaction.acrValues == nil && request.isOrdinary
  }

  /// Names the lock: sign-ins of one application at one authority can join each other.
  var purpose: String {
    let digest = Digest.sha256.hash(Array("\(context.clientID) \(request.authority.cacheName)".utf8))
    return digest.prefix(4).hexadecimal
  }

  /// What a sign-in changes, and a refresh doesn't.
  private func lastSignIn(in document: TokenCacheDocument) -> Principal? {
    document.principal(for: context.clientID, at: request.authority.cacheName)
  }

  private func storedToken(in document: TokenCacheDocument) async -> (token: AccessTokenEntry, lookup: TokenLookup)? {
    guard let account = await account(in: document) else { return nil }
    let lookup = await TokenLookup(context: context, authority: request.authority, account: account)
    let validity = context.configuration.requiredValidity
    return lookup.accessToken(in: document, scopes: request.scopes, validity: validity).map { ($0, lookup) }
  }

  /// Whether the token is from a sign-in that has just ended.
  private func isRecent(_ token: AccessTokenEntry) -> Bool {
    token.cachedAt >= context.now - Self.justEnded
      && newerThan.map { token.cachedAt > $0 } ?? true
  }

  /// A token of the account that another process signed in; `nil` if that account can't get one silently.
  private func result(in document: TokenCacheDocument, insteadOf refused: Secret?) async throws(AuthenticationError)
    -> TokenResult?
  {
    guard let account = await account(in: document) else { return nil }
    do {
      let flow = SilentFlow(context: context, request: request.afterOtherSignIn, account: account)
      let result = try await flow.run(in: document)
      return refused == Secret(result.accessToken) ? nil : result
    } catch {
      guard error.code == .interactionRequired else { throw error }
      return nil
    }
  }

  /// The expected account, else the one that signed in last.
  private func account(in document: TokenCacheDocument) async -> Account? {
    let accounts = await AccountDirectory(context: context, authority: request.authority).signedIn(in: document)
    if let expected = request.expected { return expected.account(among: accounts) }
    if let name = interaction.loginHint { return try? accounts.account(named: name) }
    return await CurrentAccountRecord(context: context, authority: request.authority).account(in: document)
  }
}
