import FoundationEssentials

/// An account's successive tokens, each delivered before the previous one expires.
///
/// The sequence starts immediately and continues until its task is canceled. A failed renewal is an element too, once per
/// error, and is retried. Only the first attempt may open the browser; only the first token is refreshed by force.
public struct TokenUpdates: AsyncSequence, Sendable {
  /// A new token, or why there is none.
  public typealias Element = Result<TokenResult, AuthenticationError>

  let application: any TokenProviding
  let parameters: TokenParameters

  /// The maximum wait: another process may have renewed the token, or the clock may have been set.
  private static let maximumInterval: TimeInterval = 600
  private static let minimumInterval: TimeInterval = 1
  private static let retryInterval: TimeInterval = 30

  public func makeAsyncIterator() -> Iterator { Iterator(application: application, parameters: parameters) }

  /// Waits for each token in turn.
  public struct Iterator: AsyncIteratorProtocol {
    let application: any TokenProviding
    var parameters: TokenParameters
    var last: TokenResult?
    var lastError: AuthenticationError?
    var isCanceled = false

    /// Waits for the next token or error; returns `nil` if the task was canceled.
    public mutating func next() async -> Element? {
      while !Task.isCancelled, !isCanceled {
        if last != nil || lastError != nil {
          try? await Task.sleep(for: .seconds(interval))
          if Task.isCancelled { return nil }
        }
        // A timer must not open browsers.
        let request = parameters
        parameters.interaction = nil
        do {
          let token = try await application.token(with: request)
          lastError = nil
          parameters.forceRefresh = false
          // The first token meets the requirements; only their scopes apply to later ones.
          parameters.scopes = Scopes.adding(parameters.requirements?.scopes ?? [], to: parameters.scopes)
          parameters.requirements = nil
          // The first token's account, even if another becomes the current one.
          parameters.account = token.account
          let isNew = token.accessToken != last?.accessToken || token.idToken != last?.idToken
          last = token
          if isNew { return .success(token) }
        } catch {
          let isNew = error.code != lastError?.code || error.reason != lastError?.reason
          lastError = error
          isCanceled = error.code == .canceled
          if isNew, !isCanceled { return .failure(error) }
        }
      }
      return nil
    }

    /// Half the token's remaining lifetime, so that its last minutes are never reached.
    private var interval: TimeInterval {
      if lastError != nil { return TokenUpdates.retryInterval }
      let expiries = [last?.expiresOn, parameters.requiresIDToken ? last?.idTokenExpiresOn : nil].compactMap(\.self)
      let half = (expiries.min() ?? .now).timeIntervalSinceNow / 2
      return Swift.min(Swift.max(half, TokenUpdates.minimumInterval), TokenUpdates.maximumInterval)
    }
  }
}

extension TokenProviding {
  /// An account's successive tokens, for a program that runs longer than one token is valid; the account stays the
  /// same.
  public func tokenUpdates(with parameters: TokenParameters) -> TokenUpdates {
    TokenUpdates(application: self, parameters: parameters)
  }
}
