import FoundationEssentials
import MSAuth
import MSAuthUnix

/// The tokens of a bridge: one sign-in for all its requests.
actor MCPCredentials {
  /// The user isn't prompted for every message after closing the page, or after a sign-in that didn't help.
  private static let pauseAfterPrompt: Duration = .seconds(60)
  /// The limit for prompts that add scopes or come without a pause: a server could require them for every message.
  private static let maximumExtraPrompts = 4
  /// A token that stays valid longer than this is sent without reading the store, unless the store has changed.
  private static let minimumValidity = TimeInterval(ClientConfiguration.defaultExpirationBuffer.components.seconds)

  private let server: MCPServer
  private let interaction: Interaction?
  private var result: TokenResult? {
    didSet { if let result, !result.isFromCache { issued = Secret(result.accessToken) } }
  }
  private var hasNoToken = false
  /// The state of the store that the result, or its absence, was read from.
  private var storeState: [FileState?] = []
  /// The last token that this process got from a refresh or a sign-in; the result may be the same, read from the store.
  private var issued: Secret?
  /// What the last challenge required of that token.
  private var requirements: ResourceRequirements?
  /// The last token that the server has accepted since the last prompt.
  private var accepted: Secret?
  private var running: Task<TokenResult, any Error>?
  private var lastPrompt: (error: AuthenticationError?, time: ContinuousClock.Instant)?
  /// The scopes of the challenges that the user signed in for.
  private var stepUps: Set<[String]> = []
  private var extraPrompts = 0
  private var isEnded = false

  init(server: MCPServer, interaction: Interaction?) { (self.server, self.interaction) = (server, interaction) }

  /// The token to send; `nil` if there is none, until the server requires one.
  func token() async throws(AuthenticationError) -> Secret? {
    if let running { result = try? await running.value }
    // Another process may have signed out or in.
    let state = await server.context.storeState()
    if state != storeState || state.isEmpty { (result, hasNoToken, storeState) = (nil, false, state) }
    if hasNoToken { return nil }
    if let result, result.expiresOn.timeIntervalSinceNow > Self.minimumValidity { return Secret(result.accessToken) }
    result = try await silentToken(replacing: nil)
    if result?.isFromCache == false { requirements = nil }
    hasNoToken = result == nil
    return result.map { Secret($0.accessToken) }
  }

  /// Replaces a token that the server rejected; a step-up requires a sign-in.
  ///
  /// Returns false if the user has signed in for the scopes before: every message would open the browser again.
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
    if isStepUp, stepUps.contains(challenge.scopes) || extraPrompts >= Self.maximumExtraPrompts { return false }
    guard !isEnded else { throw .canceled }
    // Another refresh doesn't help if the server has never accepted the result of the last one, or of a sign-in.
    let wasNeverAccepted = rejected != nil && rejected == issued && rejected != accepted
    let mayRefresh = isStepUp || !wasNeverAccepted || challenge.requirements != requirements
    let task = Task {
      if !isStepUp, mayRefresh, let token = try await silentToken(replacing: rejected, challenge.requirements) {
        return token
      }
      return try await prompt(for: challenge, isStepUp: isStepUp, insteadOf: rejected, mayRefresh: mayRefresh)
    }
    running = task
    defer { running = nil }
    result = try await task.get()
    (hasNoToken, requirements) = (false, challenge.requirements)
    // After another kind of sign-in, the session may lack the scopes again.
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
      // Without a token, the error names what is missing, such as a scope.
      _ = try await server.token()
      guard isStepUp else { throw server.tokenRejected }
      throw try await server.scopesMissing(challenge.scopes)
    }
    let isSoon = lastPrompt.map { $0.time.duration(to: .now) < Self.pauseAfterPrompt } ?? false
    if isSoon, let error = lastPrompt?.error { throw error }
    // The server also rejected the last sign-in's token, or there were too many prompts.
    if isSoon, !isStepUp, accepted == nil || extraPrompts >= Self.maximumExtraPrompts { throw server.tokenRejected }
    func recordPrompt(_ error: AuthenticationError?) {
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
      // A token of the store is from another process's prompt.
      if !result.isFromCache { recordPrompt(nil) }
      return result
    } catch {
      recordPrompt(error)
      throw error
    }
  }

  /// A token without the browser; `nil` if there is none but the rejected one.
  private func silentToken(
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
