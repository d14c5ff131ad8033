import LibCrypto
import Core
import TokenCache

/// Sees to it that of all processes that need a person one asks, and the others take what it gets.
struct SignInCoordinator: Sendable {
  /// A sign-in that ended this many seconds ago is still joined: the caller may have looked into the store just before.
  static let justEnded: UnixTime = 10
  /// How often a waiting process looks for the result.
  private static let pollInterval: Duration = .milliseconds(200)

  let context: Context
  let parameters: InteractiveTokenParameters

  /// Asks the person, or waits for another process that does.
  ///
  /// - Parameter ask: The sign-in.
  /// - Returns: Its result, or the other process's.
  /// - Throws: ``AuthenticationError``.
  func run(_ ask: () async throws -> TokenResult) async throws -> TokenResult {
    guard let lock = context.dependencies.cacheFile.map({ SignInLock(beside: $0, for: purpose) }) else {
      return try await ask()
    }
    guard joins else {
      // Others may join this one; that another one is under way is no reason to wait.
      let held = try? await lock.acquire(within: .zero)
      defer { held?.release() }
      return try await ask()
    }

    // 1. A sign-in may have ended since the caller looked into the store.
    let before = try await context.dependencies.store.read()
    if let result = recentResult(in: before) { return result }

    // 2. One asks, the others wait.
    guard let held = try await free(lock) else { return try await join(lock, since: before) }
    defer { held.release() }
    if let result = try await result(since: before) { return result }
    return try await ask()
  }

  private func join(_ lock: SignInLock, since before: TokenCacheDocument) async throws -> TokenResult {
    let clock = ContinuousClock()
    let deadline = clock.now.advanced(by: .seconds(parameters.timeout))
    var seen = before
    while true {
      let held = try await free(lock, within: Self.pollInterval)
      defer { held?.release() }
      if let result = try await result(since: seen) { return result }
      seen = try await context.dependencies.store.read()
      if held != nil {
        // It brought somebody or something else: now it is our turn. If it brought nothing, the person did not want to
        // sign in, and is not asked again by each that waited.
        guard seen == before else {
          return try await InteractiveFlow(
            context: context,
            parameters: parameters
          ).run()
        }
        throw AuthenticationError(
          .interactionRequired,
          "the sign-in that another process began ended without a token",
          reason: .joinedSignInFailed,
          remedy: .tryAgain
        )
      }
      guard clock.now < deadline else {
        throw AuthenticationError(
          .timedOut,
          "the sign-in that another process began took more than \(Int(parameters.timeout.rounded(.up))) s",
          reason: .joinedSignInSlow,
          remedy: .finishOtherSignIn
        )
      }
    }
  }

  /// The lock, or nil when another process has it; says so the first time.
  private func free(_ lock: SignInLock, within timeout: Duration = .zero) async throws -> TokenCacheLock? {
    do throws(TokenCacheError) {
      return try await lock.acquire(within: timeout)
    } catch {
      try Task.checkCancellation()
      guard error.kind == .locked else { throw AuthenticationError(error) }
      if timeout == .zero { parameters.onEvent?(.joining(owner: error.message)) }
      return nil
    }
  }

  /// Joining makes no sense for who wants the person to be asked something particular.
  private var joins: Bool {
    parameters.joinsRunningSignIn && parameters.prompt == nil && parameters.claims == nil && parameters.maxAge == nil
      && parameters.acrValues == nil && parameters.resource == nil
  }

  private var authority: Authority { parameters.authority ?? context.configuration.authority }

  /// Sign-ins of one application at one authority can join each other.
  private var purpose: String {
    let digest = Digest.sha256.hash(Array("\(context.configuration.clientID) \(authority.url)".utf8))
    return digest.prefix(4).hexadecimal
  }

  private func recentResult(in document: TokenCacheDocument) -> TokenResult? {
    guard let account = account(in: document) else { return nil }
    let lookup = TokenLookup(
      context: context,
      authority: authority,
      account: account
    )
    let now = context.dependencies.clock.now()
    let token = lookup.accessToken(
      in: document,
      scopes: parameters.scopes,
      validAfter: now + context.configuration.expirationBuffer
    )
    guard let token, token.cachedAt >= now - Self.justEnded else { return nil }
    return lookup.result(token, in: document, correlationID: parameters.correlationID ?? "")
  }

  /// A token for what a sign-in has brought since.
  private func result(since before: TokenCacheDocument) async throws -> TokenResult? {
    let document = try await context.dependencies.store.read()
    guard document != before, let account = account(in: document) else { return nil }
    var silent = SilentTokenParameters(scopes: parameters.scopes, account: account)
    silent.authority = parameters.authority
    silent.correlationID = parameters.correlationID
    do {
      return try await SilentFlow(context: context, parameters: silent).run()
    } catch let error as AuthenticationError where error.code == .interactionRequired {
      return nil
    }
  }

  /// Whose sign-in would do: the expected account, else whoever signed in last.
  private func account(in document: TokenCacheDocument) -> Account? {
    let accounts = AccountDirectory(
      context: context,
      authority: authority
    ).signedIn(in: document)
    // .NET stores an account under another name of its cloud than this sign-in does.
    if let expected = parameters.account {
      return accounts.first { $0.identifier == expected.identifier && CacheScope($0).holds(expected) }
    }
    if let expected = parameters.expectedIdentifier?.lowercased() {
      return accounts.first { $0.identifier.lowercased() == expected }
    }
    if let hint = parameters.loginHint?.lowercased() {
      return accounts.first { $0.username.lowercased() == hint || $0.identifier.lowercased() == hint }
    }
    let last = document.principal(for: context.configuration.clientID, at: authority.issuer)?.homeAccountID
    return accounts.first { $0.identifier == last }
  }
}
