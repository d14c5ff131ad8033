import FoundationEssentials
import MSAuth

/// The tokens of a bridge: one sign-in for all its requests.
actor MCPCredentials {
  /// A user who closed the page isn't prompted again for every message.
  private static let pauseAfterFailure: Duration = .seconds(60)
  /// Until then, messages need not read the store.
  private static let reuse = TimeInterval(ClientConfiguration.defaultExpirationBuffer.components.seconds)

  private let server: MCPServer
  private let interaction: Interaction?
  private var result: TokenResult?
  private var isAbsent = false
  private var running: Task<TokenResult, any Error>?
  private var failure: (error: AuthenticationError, time: ContinuousClock.Instant)?
  /// The scopes of the challenges that the user signed in for.
  private var stepUps: Set<[String]> = []

  init(server: MCPServer, interaction: Interaction?) { (self.server, self.interaction) = (server, interaction) }

  /// The token to send; nil if there is none, until the server requires one.
  func token() async throws(AuthenticationError) -> Secret? {
    if let running { result = try? await running.value }
    if isAbsent { return nil }
    if let result, result.expiresOn.timeIntervalSinceNow > Self.reuse { return Secret(result.accessToken) }
    result = try await Self.silently(replacing: nil, at: server)
    isAbsent = result == nil
    return result.map { Secret($0.accessToken) }
  }

  /// Replaces a token that the server rejected; only a sign-in adds scopes.
  ///
  /// Returns false if the user has signed in for the scopes before: each message would open the browser again.
  @discardableResult
  func replace(_ rejected: Secret?, for challenges: [String], isStepUp: Bool) async throws(AuthenticationError) -> Bool
  {
    if let running {
      result = try await running.get()
      return true
    }
    if let result, Secret(result.accessToken) != rejected { return true }
    let scopes = ResourceChallenge(wwwAuthenticate: challenges).scopes
    if isStepUp, stepUps.contains(scopes) { return false }
    if let failure, failure.time.duration(to: .now) < Self.pauseAfterFailure { throw failure.error }
    let task = Task { [server, interaction] in
      if !isStepUp, let token = try await Self.silently(replacing: rejected, at: server) { return token }
      guard let interaction else { throw server.signInNeeded() }
      return try await server.signIn(interaction, challenges: challenges)
    }
    running = task
    defer { running = nil }
    do {
      result = try await task.get()
      (isAbsent, failure) = (false, nil)
      // Another session may lack them.
      if isStepUp { stepUps.insert(scopes) } else { stepUps = [] }
      return true
    } catch {
      if interaction != nil { failure = (error, .now) }
      throw error
    }
  }

  /// A token without the browser; another process may have signed in since.
  private static func silently(replacing rejected: Secret?, at server: MCPServer) async throws(AuthenticationError)
    -> TokenResult?
  {
    do throws(AuthenticationError) {
      let token = try await server.token(forceRefresh: rejected != nil)
      return Secret(token.accessToken) == rejected ? nil : token
    } catch {
      guard error.code == .interactionRequired else { throw error }
      return nil
    }
  }
}
