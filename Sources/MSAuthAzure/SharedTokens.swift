import MSAuth
import MSAuthCore
import MSAuthCrypto

/// One account's tokens: each is requested once for all requests that wait for it, with one prompt at a time.
actor SharedTokens {
  /// A request that may return a rejected token isn't joined by one that must not.
  private struct Key: Hashable {
    let scope: String
    let rejectedDigest: String?
  }

  private let client: any ClientApplication
  private let account: Account
  private let interaction: Interaction?
  private var requests: [Key: Task<TokenResult, any Error>] = [:]
  private var lastPrompt: Task<TokenResult, any Error>?
  /// By scope.
  private var limits: [String: PromptLimit] = [:]
  /// The limit of a scope that hasn't prompted yet.
  private let initialLimit: PromptLimit

  init(client: any ClientApplication, account: Account, interaction: Interaction?, limit: PromptLimit = PromptLimit()) {
    (self.client, self.account, self.interaction, initialLimit) = (client, account, interaction, limit)
  }

  /// Returns a token other than the one with this SHA-256, which a resource rejected.
  func token(_ scope: String, replacing digest: String?) async throws(AuthenticationError) -> TokenResult {
    let result = try await token(scope)
    let stored = Secret(result.accessToken)
    guard digest?.lowercased() == Self.digest(stored) else { return result }
    return try await token(scope, insteadOf: stored)
  }

  func token(_ scope: String, insteadOf rejected: Secret? = nil) async throws(AuthenticationError) -> TokenResult {
    let key = Key(scope: scope, rejectedDigest: rejected.map(Self.digest))
    let request = requests[key] ?? Task { try await self.request(scope, insteadOf: rejected) }
    requests[key] = request
    defer { if requests[key] == request { requests[key] = nil } }
    return try await request.get()
  }

  private func request(_ scope: String, insteadOf rejected: Secret?) async throws(AuthenticationError) -> TokenResult {
    var parameters = TokenParameters(scopes: [scope], account: account)
    (parameters.interaction, parameters.rejectedToken) = (nil, rejected)
    do {
      return try await client.token(with: parameters)
    } catch {
      guard let interaction, error.code == .interactionRequired, limits[scope, default: initialLimit].mayPrompt()
      else { throw error }
      parameters.interaction = interaction
    }
    let prompt = Task { [client, lastPrompt, parameters] in
      _ = await lastPrompt?.result
      return try await client.token(with: parameters)
    }
    lastPrompt = prompt
    defer { limits[scope, default: initialLimit].recordPrompt() }
    do {
      return try await withTaskCancellationHandler {
        try await prompt.value
      } onCancel: {
        prompt.cancel()
      }
    } catch {
      throw AuthenticationError(wrapping: error)
    }
  }

  private static func digest(_ token: Secret) -> String { Digest.sha256.hash(token.revealed.utf8).hexadecimal }

  /// Cancels the requests, and the prompt that is open.
  func cancel() { for request in requests.values { request.cancel() } }
}
