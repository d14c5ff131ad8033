import FoundationEssentials
import MSAuth
import MSAuthUnix

/// The tokens of a bridge: one sign-in for all its requests.
actor MCPCredentials {
  /// A token that stays valid longer than this is sent without reading the store, unless the store has changed.
  private static let minimumValidity = TimeInterval(ClientConfiguration.defaultExpirationBuffer.components.seconds)

  private enum State {
    /// The store hasn't been read since it changed.
    case unread
    /// The store has no token; none is sent until the server requires one.
    case missing
    case token(TokenResult)
  }

  /// The last token that this process got from a refresh or a sign-in.
  private struct Issued {
    let token: Secret
    /// The requirements of the challenge that it was requested for.
    let requirements: ResourceRequirements?
    /// Whether the server has accepted it since the last prompt.
    var isAccepted = false
  }

  private let server: MCPServer
  private let interaction: Interaction?
  private var state = State.unread
  /// The state of the store's files when it was read.
  private var storeState: [FileState?] = []
  private var issued: Issued?
  private var limit = PromptLimit()
  /// The refresh or sign-in that every request waits for.
  private var running: Task<Void, any Error>?
  private var isEnded = false

  init(server: MCPServer, interaction: Interaction?) { (self.server, self.interaction) = (server, interaction) }

  /// The token to send; `nil` if there is none, until the server requires one.
  func token() async throws(AuthenticationError) -> Secret? {
    _ = await running?.result
    // Another process may have signed out or in.
    let current = await server.context.storeState()
    if current != storeState || current.isEmpty { (state, storeState) = (.unread, current) }
    switch state {
    case .missing: return nil
    case .token(let result) where result.expiresOn.timeIntervalSinceNow > Self.minimumValidity:
      return Secret(result.accessToken)
    case .token, .unread:
      let result = try await silentToken(replacing: nil)
      use(result, for: nil)
      return result.map { Secret($0.accessToken) }
    }
  }

  /// Replaces a token that the server rejected; one that lacks scopes requires a sign-in.
  ///
  /// Returns false if the user has signed in for the scopes before: every message would open the browser again.
  func replace(_ rejected: Secret?, for challenge: ResourceChallenge) async throws(AuthenticationError) -> Bool {
    if let running {
      try await running.get()
      return true
    }
    if case .token(let result) = state, Secret(result.accessToken) != rejected { return true }
    if challenge.isInsufficientScope, !limit.mayAdd(challenge.scopes) { return false }
    guard !isEnded else { throw .canceled }
    let task = Task {
      defer { running = nil }
      use(try await replacement(of: rejected, for: challenge), for: challenge.requirements)
      limit.recordToken(adding: challenge.isInsufficientScope ? challenge.scopes : nil)
    }
    running = task
    try await task.get()
    return true
  }

  func accept(_ token: Secret?) {
    guard case .token(let result) = state, Secret(result.accessToken) == token else { return }
    limit.recordAcceptance()
    if issued?.token == token { issued?.isAccepted = true }
  }

  /// Cancels a sign-in, and waits for a refresh that was sent: its response has the next refresh token.
  func end() async {
    isEnded = true
    running?.cancel()
    _ = await running?.result
  }

  private func use(_ result: TokenResult?, for requirements: ResourceRequirements?) {
    state = result.map { .token($0) } ?? .missing
    guard let result, !result.isFromCache else { return }
    issued = Issued(token: Secret(result.accessToken), requirements: requirements)
  }

  private func replacement(
    of rejected: Secret?,
    for challenge: ResourceChallenge
  ) async throws(AuthenticationError) -> TokenResult {
    // 1. Without a prompt, unless the token lacks scopes. Another refresh doesn't help if the server has never accepted the
    // result of the last one, or of a sign-in.
    let isStepUp = challenge.isInsufficientScope
    let wasNeverAccepted = issued?.token == rejected && issued?.isAccepted == false
    let mayRefresh = isStepUp || !wasNeverAccepted || challenge.requirements != issued?.requirements
    if !isStepUp, mayRefresh, let token = try await silentToken(replacing: rejected, challenge.requirements) {
      return token
    }
    guard let interaction else {
      // Without a token, the error names what is missing, such as a scope.
      _ = try await server.token()
      guard isStepUp else { throw server.tokenRejected }
      throw try await server.scopesMissing(challenge.scopes)
    }

    // 2. With a prompt.
    let start = ContinuousClock.now
    guard limit.mayPrompt(at: start, addingScopes: isStepUp) else { throw limit.lastError ?? server.tokenRejected }
    do {
      let result = try await server.sharedSignIn(
        interaction,
        challenge: challenge,
        insteadOf: rejected,
        mayRefresh: mayRefresh
      )
      // A token of the store is from another process's prompt.
      if !result.isFromCache { limit.recordPrompt(startedAt: start, addingScopes: isStepUp) }
      return result
    } catch {
      limit.recordPrompt(error, startedAt: start, addingScopes: isStepUp)
      issued?.isAccepted = false
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
