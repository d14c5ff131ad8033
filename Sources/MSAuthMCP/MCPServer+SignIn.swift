public import MSAuth
import Synchronization

extension MCPServer {
  /// How a sign-in gets its token.
  private enum SignInMethod {
    /// Through the browser, even if there is a token.
    case browser
    case deviceCode(@Sendable (DeviceCode) -> Void)
    /// Through the browser, unless another process or a signed-in account has a token other than the rejected one.
    case shared(insteadOf: Secret?, mayRefresh: Bool)

    var opensBrowser: Bool { if case .deviceCode = self { false } else { true } }
  }

  /// Signs in, unless another process does or just did: programs that start together open one page.
  ///
  /// Never returns the rejected token; until that expires, only a sign-in replaces it unless `mayRefresh`.
  func sharedSignIn(
    _ interaction: Interaction,
    challenge: ResourceChallenge? = nil,
    insteadOf rejected: Secret? = nil,
    mayRefresh: Bool = true
  ) async throws(AuthenticationError) -> TokenResult {
    let method = SignInMethod.shared(insteadOf: rejected, mayRefresh: mayRefresh)
    let requiredScopes = challenge.flatMap { $0.isInsufficientScope ? $0.scopes : nil } ?? []
    // The token of a sign-in that another process has completed.
    func storedToken(_ document: TokenCacheDocument) async throws(AuthenticationError) -> TokenResult? {
      let scopes = document.mcpServer(key)?.scopes ?? []
      guard requiredScopes.allSatisfy(scopes.contains) else { return nil }
      do throws(AuthenticationError) {
        let token = try await silentToken(in: document)
        return Secret(token.accessToken) == rejected ? nil : token
      } catch {
        guard error.code == .interactionRequired else { throw error }
        return nil
      }
    }
    let before = try await context.store.load()
    if let token = try await storedToken(before) { return token }
    do {
      guard let lock = context.signInLock(key) else { return try await signIn(interaction, for: challenge, by: method) }
      let shared = SharedSignIn(lock: lock, store: context.store, interaction: interaction)
      return try await shared.run(after: before, lastSignIn: { $0.mcpServer(key) }, result: storedToken) {
        try await signIn(interaction, for: challenge, by: method)
      }
    } catch {
      throw AuthenticationError(wrapping: error)
    }
  }

  /// Signs in: discovers the authorization server, registers if needed, and opens the browser, even if there is a token.
  ///
  /// - Parameters:
  ///   - interaction: How to sign in through the browser.
  ///   - challenges: The `WWW-Authenticate` fields of the server's response, if there was one; scopes that it lacks
  ///     (`insufficient_scope`) are added to those requested before.
  ///   - onDeviceCode: Shows a code to enter on another device (RFC 8628); `nil` opens the browser here.
  /// - Throws: `AuthenticationError`.
  /// - Returns: The token, which is already stored.
  public func signIn(
    _ interaction: Interaction = Interaction(),
    challenges: [String]? = nil,
    onDeviceCode: (@Sendable (DeviceCode) -> Void)? = nil
  ) async throws(AuthenticationError) -> TokenResult {
    let challenge = challenges.map { ResourceChallenge(wwwAuthenticate: $0) }
    return try await signIn(interaction, for: challenge, by: onDeviceCode.map { .deviceCode($0) } ?? .browser)
  }

  private func signIn(
    _ interaction: Interaction,
    for challenge: ResourceChallenge?,
    by method: SignInMethod
  ) async throws(AuthenticationError) -> TokenResult {
    // 1. What will happen, and what the user must confirm.
    let plan = try await plan(challenge, in: try await context.store.load()) { step, result in
      context.configuration.log(.info, "\(organization: "\(step): \(result.message)")")
    }
    try await confirm(plan.confirmation)
    // A device code needs no port.
    let sharesRegistration = plan.usesDynamicRegistration && method.opensBrowser
    return try await context.whileHoldingRegistration(at: sharesRegistration ? plan.discovery.issuer : nil) {
      _ async throws(AuthenticationError) in
      // 2. The client.
      var client = try await MCPSignInClient(plan, of: self)
      if method.opensBrowser { try await client.replaceIfForgotten() }

      // 3. The sign-in.
      let (result, replaced) = try await client.signIn { entry throws(AuthenticationError) in
        try await token(storing: entry, at: plan.discovery.authority, challenge?.requirements, interaction, by: method)
      }

      // 4. The end of an earlier session, which later calls wouldn't find.
      if case .failure(let error) = await replaced?.endSession() {
        // The new session is complete.
        context.configuration.log(.warning, "the earlier session couldn't be ended: \(user: error.message)")
      }

      // 5. The registrations that no session needs.
      let earlier = (replaced?.entry).map { ($0.issuer, $0.client) }
      _ = await context.deleteUnused(client.replaced.map { (client.entry.issuer, $0) } + [earlier].compactMap(\.self))
      return result
    }
  }

  /// Gets a token, and stores the entry with it; returns the entry that it replaces.
  private func token(
    storing entry: MCPServerEntry,
    at authority: Authority,
    _ requirements: ResourceRequirements?,
    _ interaction: Interaction,
    by method: SignInMethod
  ) async throws(AuthenticationError) -> (TokenResult, replaced: MCPRemovedEntry?) {
    let saved = Mutex((isSaved: false, replaced: nil as MCPRemovedEntry?))
    // Only the entry leads to the tokens, so they are stored in one write.
    let onSave: @Sendable (inout TokenCacheDocument) -> Void = { document in
      let replaced = context.setMCPServer(key, entry, in: &document)
      saved.withLock { $0 = (true, replaced) }
    }
    let result = try await token(
      for: entry,
      at: authority,
      requirements,
      interaction,
      by: method,
      onSave: entry.isForAccount ? nil : onSave
    )
    let (isSaved, replacedWithTokens) = saved.withLock(\.self)
    if isSaved { return (result, replacedWithTokens) }

    // The tokens are an account's, or another process has stored them.
    var entry = entry
    if entry.isForAccount { entry.accountID = result.account.identifier }
    let replaced = try await context.store.writable().change { [entry] document in
      context.setMCPServer(key, entry, in: &document)
    }
    return (result, replaced)
  }

  private func token(
    for entry: MCPServerEntry,
    at authority: Authority,
    _ requirements: ResourceRequirements?,
    _ interaction: Interaction,
    by method: SignInMethod,
    onSave: (@Sendable (inout TokenCacheDocument) -> Void)?
  ) async throws(AuthenticationError) -> TokenResult {
    let application = try context.application(for: entry, authority)
    var parameters = TokenParameters(scopes: entry.scopes)
    (parameters.requirements, parameters.interaction, parameters.onSave) = (requirements, interaction, onSave)
    // A named session may be another account's.
    parameters.interaction?.addsAccount = authority.subject.isAccount && settings.session != nil
    do throws(AuthenticationError) {
      switch method {
      case .browser: return try await application.signIn(with: parameters)
      case .deviceCode(let show): return try await application.signIn(with: parameters, onDeviceCode: show)
      case .shared(let rejected, let mayRefresh):
        parameters.rejectedToken = rejected
        parameters.interaction?.joinsRunningSignIn = true
        let mayBeSilent = mayRefresh && authority.subject.isAccount && settings.session == nil
        return try await mayBeSilent ? application.token(with: parameters) : application.signIn(with: parameters)
      }
    } catch {
      guard error.code == .userCanceled else { throw error }
      throw error.with { $0.hint = "\(signInHint) and accept the requested permissions" }
    }
  }

  private func confirm(_ confirmation: MCPConfirmation?) async throws(AuthenticationError) {
    guard let confirmation else { return }
    guard let isConfirmed = await settings.confirm(confirmation) else {
      throw signInNeeded("\(confirmation.statement), which you must confirm", reason: "confirmation_needed")
        .with { $0.hint = "\(signInHint) on a terminal" }
    }
    guard isConfirmed else {
      let message = "you didn't confirm the sign-in"
      throw AuthenticationError(.userCanceled, message, reason: "not_confirmed", hint: signInHint)
    }
  }
}
