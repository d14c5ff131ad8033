import MSAuthCrypto

/// Lets concurrent processes that need the same sign-in share one prompt.
struct SignInCoordinator: Sendable {
  /// A sign-in that ended this many seconds ago is still joined: the caller may have read the store just before.
  static let justEnded: UnixTime = 10

  let context: Context
  let request: ResolvedRequest
  private var interaction: Interaction { request.interaction }
  private var newerThan: UnixTime? { request.forceRefresh ? interaction.newerThan : nil }

  /// Signs in, or waits for another process that does.
  func run(_ signIn: () async throws -> TokenResult) async throws -> TokenResult {
    guard let lock = context.store.cacheFile.map({ LockFile(ofSignIn: purpose, beside: $0) }) else {
      return try await signIn()
    }
    guard canJoin else {
      // Other processes may join this sign-in, but it doesn't wait for one.
      guard let held = try? await lock.acquire(within: .zero) else { return try await signIn() }
      return try await held.whileHeld(signIn)
    }

    // 1. A sign-in may have ended since the caller read the store.
    let before = try await context.store.load()
    let stored = await storedToken(in: before)
    if let stored, isRecent(stored.token) {
      let result = stored.lookup.result(stored.token, for: request, in: before)
      // The token may come from a refresh without an ID token, which can be the reason for the sign-in.
      if stored.lookup.hasRequiredIDToken(result, for: request) { return result }
    }
    let rejected = request.rejectedToken ?? (newerThan == nil ? nil : stored?.token.secret)

    // 2. One process prompts the user; the others wait for what it stores.
    let shared = SharedSignIn(lock: lock, store: context.store, interaction: interaction)
    return try await shared.run(
      after: before,
      lastSignIn: { $0.principal(for: context.clientID, at: request.authority.cacheName) },
      result: { document throws(AuthenticationError) in try await result(in: document, insteadOf: rejected) },
      signIn
    )
  }

  /// A request with special requirements can't use the result of another.
  private var canJoin: Bool {
    interaction.joinsRunningSignIn && interaction.prompt == nil && interaction.maxAge == nil
      && interaction.acrValues == nil && request.isOrdinary
  }

  /// Names the lock: sign-ins of one application at one authority can join each other.
  var purpose: String {
    Digest.sha256.hash("\(context.clientID) \(request.authority.cacheName)".utf8).prefix(4).hexadecimal
  }

  private func storedToken(in document: TokenCacheDocument) async -> (token: AccessTokenEntry, lookup: TokenLookup)? {
    guard let account = await account(in: document) else { return nil }
    let lookup = await TokenLookup(context: context, authority: request.authority, account: account)
    let validity = context.configuration.requiredValidity
    return lookup.accessToken(in: document, scopes: request.scopes, validity: validity).map { ($0, lookup) }
  }

  /// Whether the token is from a sign-in that has just ended.
  private func isRecent(_ token: AccessTokenEntry) -> Bool {
    token.cachedAt >= context.now - Self.justEnded && token.secret != request.rejectedToken
      && newerThan.map { token.cachedAt > $0 } ?? true
  }

  /// A token of the account that another process signed in; `nil` if that account can't get one silently.
  private func result(in document: TokenCacheDocument, insteadOf rejected: Secret?) async throws(AuthenticationError)
    -> TokenResult?
  {
    guard let account = await account(in: document) else { return nil }
    do {
      let flow = SilentFlow(context: context, request: request.afterOtherSignIn, account: account)
      let result = try await flow.run(in: document)
      return rejected == Secret(result.accessToken) ? nil : result
    } catch {
      guard error.code == .interactionRequired else { throw error }
      return nil
    }
  }

  /// The expected account, else the last to sign in.
  private func account(in document: TokenCacheDocument) async -> Account? {
    let list = await AccountList(context: context, authority: request.authority)
    if let expected = request.expected { return expected.account(among: list.signedIn(in: document)) }
    if let name = interaction.loginHint { return try? list.signedIn(in: document).account(named: name) }
    return list.current(in: document)
  }
}
