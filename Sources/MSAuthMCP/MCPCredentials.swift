import FoundationEssentials
import MSAuth
import MSAuthUnix

/// The tokens of a bridge: one sign-in for all its requests.
actor MCPCredentials {
  /// A user who closed the page, or whose sign-in didn't help, isn't prompted again for every message.
  private static let pauseAfterPrompt: Duration = .seconds(60)
  /// A token that stays valid longer than this is sent without reading the store, unless the store has changed.
  private static let reuse = TimeInterval(ClientConfiguration.defaultExpirationBuffer.components.seconds)

  private let server: MCPServer
  private let interaction: Interaction?
  private var result: TokenResult? {
    didSet { if let result, !result.isFromCache { issued = Secret(result.accessToken) } }
  }
  /// The last token that this process received by a refresh or a sign-in; the result may be the same, read from the store.
  private var issued: Secret?
  /// What that token was requested for.
  private var requirements: ResourceRequirements?
  private var isAbsent = false
  /// The store that the result, or its absence, is from.
  private var seen: [FileState?] = []
  private var running: Task<TokenResult, any Error>?
  private var lastPrompt: (error: AuthenticationError?, time: ContinuousClock.Instant)?
  /// A server that names new scopes, or rejects its tokens, again and again doesn't open the browser for each message.
  private static let maximumPrompts = 4
  /// The scopes of the challenges that the user signed in for.
  private var stepUps: Set<[String]> = []
  /// The prompts for more scopes, and those without a pause.
  private var extraPrompts = 0
  /// The last token that the server has accepted since the last prompt.
  private var accepted: Secret?
  private var isEnded = false

  init(server: MCPServer, interaction: Interaction?) { (self.server, self.interaction) = (server, interaction) }

  /// The token to send; nil if there is none, until the server requires one.
  func token() async throws(AuthenticationError) -> Secret? {
    if let running { result = try? await running.value }
    // Another process may have signed out or in.
    let now = await server.context.storeState()
    if now != seen || now.isEmpty { (result, isAbsent, seen) = (nil, false, now) }
    if isAbsent { return nil }
    if let result, result.expiresOn.timeIntervalSinceNow > Self.reuse { return Secret(result.accessToken) }
    result = try await silently(replacing: nil)
    if result?.isFromCache == false { requirements = nil }
    isAbsent = result == nil
    return result.map { Secret($0.accessToken) }
  }

  /// Replaces a token that the server rejected; only a sign-in adds scopes.
  ///
  /// Returns false if the user has signed in for the scopes before: each message would open the browser again.
  @discardableResult
  func replace(
    _ rejected: Secret?,
    for challenge: ResourceChallenge,
    isStepUp: Bool
  ) async throws(AuthenticationError) -> Bool {
    if let running {
      result = try await running.get()
      return true
    }
    if let result, Secret(result.accessToken) != rejected { return true }
    if isStepUp, stepUps.contains(challenge.scopes) || extraPrompts >= Self.maximumPrompts { return false }
    guard !isEnded else { throw .canceled }
    // Another refresh doesn't help if the server never accepted the token of the last one, or of a sign-in.
    let isUseless = rejected != nil && rejected == issued && rejected != accepted
    let mayRefresh = isStepUp || !isUseless || challenge.requirements != requirements
    let task = Task {
      if !isStepUp, mayRefresh, let token = try await silently(replacing: rejected, challenge.requirements) {
        return token
      }
      return try await prompt(for: challenge, isStepUp: isStepUp, insteadOf: rejected, mayRefresh: mayRefresh)
    }
    running = task
    defer { running = nil }
    result = try await task.get()
    (isAbsent, requirements) = (false, challenge.requirements)
    // Another session may lack them.
    if isStepUp { stepUps.insert(challenge.scopes) } else { stepUps = [] }
    return true
  }

  func accept(_ token: Secret?) {
    if let result, Secret(result.accessToken) == token { accepted = token }
  }

  /// Cancels a sign-in, and waits for a refresh that was sent: its response has the next refresh token.
  func end() async {
    isEnded = true
    running?.cancel()
    _ = await running?.result
  }

  private func prompt(
    for challenge: ResourceChallenge,
    isStepUp: Bool,
    insteadOf rejected: Secret?,
    mayRefresh: Bool
  ) async throws(AuthenticationError) -> TokenResult {
    guard let interaction else {
      // Its error names what is missing, such as a scope.
      _ = try await server.token()
      guard isStepUp else { throw server.tokenRejected }
      throw try await server.scopesMissing(challenge.scopes)
    }
    let isSoon = lastPrompt.map { $0.time.duration(to: .now) < Self.pauseAfterPrompt } ?? false
    if isSoon, let error = lastPrompt?.error { throw error }
    // The authorization server may have changed since.
    if isSoon, !isStepUp, accepted == nil || extraPrompts >= Self.maximumPrompts { throw server.tokenRejected }
    func end(_ error: AuthenticationError?) {
      if isSoon || isStepUp { extraPrompts += 1 }
      (lastPrompt, accepted) = ((error, .now), nil)
    }
    do {
      let result = try await server.sharedSignIn(
        interaction,
        challenge: challenge,
        insteadOf: rejected,
        mayRefresh: mayRefresh
      )
      // The store's token is from another process's prompt.
      if !result.isFromCache { end(nil) }
      return result
    } catch {
      end(error)
      throw error
    }
  }

  /// A token without the browser; another process may have refreshed it, or signed in since.
  private func silently(
    replacing rejected: Secret?,
    _ requirements: ResourceRequirements? = nil
  ) async throws(AuthenticationError) -> TokenResult? {
    do throws(AuthenticationError) {
      let token = try await server.silentToken(insteadOf: rejected, meeting: requirements)
      return Secret(token.accessToken) == rejected ? nil : token
    } catch {
      guard error.code == .interactionRequired else { throw error }
      return nil
    }
  }
}
