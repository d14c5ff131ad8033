import FoundationEssentials

/// The tokens of an account that follow each other, each in time before the last one expires.
///
/// The first one comes at once, and the sequence goes on until the task is cancelled. A renewal that fails is an element
/// too, once for each error, and is tried again. Only the first token may open the browser, or be refreshed by force.
public struct TokenUpdates: AsyncSequence, Sendable {
  /// A new token, or why there is none.
  public typealias Element = Result<TokenResult, AuthenticationError>

  let application: any ClientApplication
  let parameters: TokenParameters

  /// How long to wait at most before looking again: another process may have renewed the token, or the clock been set.
  private static let maximumInterval: TimeInterval = 600
  /// How long to wait at least, also after a failure.
  private static let minimumInterval: TimeInterval = 1
  private static let retryInterval: TimeInterval = 30

  /// Makes the iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(application: application, parameters: parameters) }

  /// Waits for each token in turn.
  public struct Iterator: AsyncIteratorProtocol {
    let application: any ClientApplication
    var parameters: TokenParameters
    private var last: TokenResult?
    private var lastError: AuthenticationError?

    init(application: any ClientApplication, parameters: TokenParameters) {
      self.application = application
      self.parameters = parameters
    }

    /// Waits for the next token.
    ///
    /// - Returns: The token or an error; nil when the task was cancelled.
    public mutating func next() async -> Element? {
      while !Task.isCancelled {
        if last != nil || lastError != nil {
          try? await Task.sleep(for: .seconds(interval))
          if Task.isCancelled { return nil }
        }
        // A timer must not open browsers, nor bypass the cache at every turn.
        let request = parameters
        parameters.interaction = nil
        parameters.forceRefresh = false
        do {
          let token = try await application.token(with: request)
          lastError = nil
          // The account of the first token, also when another one becomes the current account.
          parameters.account = token.account
          let isNew = token.accessToken != last?.accessToken || token.idToken != last?.idToken
          last = token
          if isNew { return .success(token) }
        } catch {
          let isNew = error.code != lastError?.code || error.reason != lastError?.reason
          lastError = error
          if error.code == .canceled { return nil }
          if isNew { return .failure(error) }
        }
      }
      return nil
    }

    /// Half of what is left of the token's life, so that its last minutes are never reached.
    private var interval: TimeInterval {
      if lastError != nil { return TokenUpdates.retryInterval }
      let expiries = [last?.expiresOn, parameters.requiresIDToken ? last?.idTokenExpiresOn : nil].compactMap(\.self)
      let rest = (expiries.min() ?? .now).timeIntervalSinceNow / 2
      return Swift.min(Swift.max(rest, TokenUpdates.minimumInterval), TokenUpdates.maximumInterval)
    }
  }
}

extension ClientApplication {
  /// The tokens of an account that follow each other, for a program that runs longer than one token is valid.
  ///
  /// - Parameter parameters: What to ask for; the account of the first token stays the same.
  /// - Returns: The tokens, the first one at once.
  public func tokenUpdates(with parameters: TokenParameters) -> TokenUpdates {
    TokenUpdates(application: self, parameters: parameters)
  }
}
