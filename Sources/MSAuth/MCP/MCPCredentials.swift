import FoundationEssentials
import MSAuthCore

/// The tokens of a bridge: one sign-in for all its requests.
actor MCPCredentials {
  /// A user who closed the page isn't asked again for every message.
  private static let pauseAfterFailure: Duration = .seconds(60)

  private let server: MCPServer
  private let interaction: Interaction?
  private var result: TokenResult?
  private var isAbsent = false
  private var running: Task<TokenResult, any Error>?
  private var failure: (error: any Error, time: ContinuousClock.Instant)?

  init(server: MCPServer, interaction: Interaction?) { (self.server, self.interaction) = (server, interaction) }

  /// The token to send; nil if there is none, until the server requires one.
  func token() async throws -> Secret? {
    if let running { result = try? await running.value }
    if isAbsent { return nil }
    if let result, result.expiresOn.timeIntervalSinceNow > 300 { return Secret(result.accessToken) }
    do throws(AuthenticationError) {
      result = try await server.token()
    } catch {
      guard error.code == .interactionRequired else { throw error }
      result = nil
      isAbsent = true
    }
    return result.map { Secret($0.accessToken) }
  }

  /// Replaces a token that the server rejected.
  func renew(_ rejected: Secret?, challenges: [String]) async throws {
    try await replace(rejected) { [server] in
      do throws(AuthenticationError) {
        // Another process may have signed in since.
        let token = try await server.token(forceRefresh: rejected != nil)
        if rejected.map({ $0 != Secret(token.accessToken) }) ?? true { return token }
      } catch {
        guard error.code == .interactionRequired else { throw error }
      }
      return nil
    } challenges: {
      challenges
    }
  }

  /// Signs in for more scopes.
  func stepUp(from rejected: Secret?, challenges: [String]) async throws {
    try await replace(rejected) {
      nil
    } challenges: {
      challenges
    }
  }

  private func replace(
    _ rejected: Secret?,
    silently: @escaping @Sendable () async throws -> TokenResult?,
    challenges: @escaping @Sendable () -> [String]
  ) async throws {
    if let running {
      result = try await running.value
      return
    }
    if let result, Secret(result.accessToken) != rejected { return }
    if let failure, failure.time.duration(to: .now) < Self.pauseAfterFailure { throw failure.error }
    let (server, interaction) = (server, interaction)
    let task = Task {
      if let token = try await silently() { return token }
      guard let interaction else { throw server.signInNeeded() }
      return try await server.signIn(interaction, challenges: challenges())
    }
    running = task
    defer { running = nil }
    do {
      result = try await task.value
      (isAbsent, failure) = (false, nil)
    } catch {
      if interaction != nil { failure = (error, .now) }
      throw error
    }
  }
}
