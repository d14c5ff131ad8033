import MSAuthJOSE
package import MSAuthTransport

extension AuthenticationError {
  /// Runs a call and wraps its errors.
  package static func wrap<Value>(_ call: () async throws -> Value) async throws(AuthenticationError) -> Value {
    do {
      return try await call()
    } catch {
      throw AuthenticationError(wrapping: error)
    }
  }

  /// The same for a call that doesn't wait.
  package static func wrap<Value>(_ call: () throws -> Value) throws(AuthenticationError) -> Value {
    do {
      return try call()
    } catch {
      throw AuthenticationError(wrapping: error)
    }
  }

  /// Creates an error from another; one of an unexpected type becomes `Code.internalError`.
  package init(wrapping error: any Error) { self.init(wrapping: error, of: nil) }

  init(wrapping error: any Error, of provider: Provider?) {
    switch error {
    case let error as AuthenticationError: self = error
    case let error as ProviderError: self.init(error, of: provider)
    case let error as TokenRefusal: self.init(error)
    case is CancellationError: self = .canceled
    default: self.init(.internalError, "unexpected error: \(error)".printable(), reason: "unexpected")
    }
  }

  /// A provider's error response, from the browser or from an endpoint.
  init(_ response: ProviderError, of sender: Provider? = nil, userWasPrompted: Bool = false, isRefresh: Bool = false) {
    let isRefusal = userWasPrompted && ["consent_required", "login_required"].contains(response.error)
    let code: Code =
      if isRefresh, response.refreshMeaning != nil {
        .interactionRequired
      } else if response.meansDenied || isRefusal {
        .userCanceled
      } else if response.meansInteractionRequired {
        .interactionRequired
      } else if response.meansTryAgain {
        .providerUnreachable
      } else {
        .serverError
      }
    let entry = response.codes.lazy.compactMap { AADSTS.entry($0) }.first
    let message: String =
      switch code {
      case .userCanceled where response.meansPolicy: "the sign-in was denied: \(entry?.meaning ?? response.message)"
      case .userCanceled: "the sign-in was denied or canceled (\(response.error))"
      case .interactionRequired: "sign in again: \(entry?.meaning ?? response.message)"
      default: "the provider rejected the request: \(entry?.meaning ?? response.message)"
      }
    let hint = sender.flatMap { AADSTS.hint(for: response, authority: $0.authority, clientID: $0.clientID) }
    self.init(
      code,
      message,
      reason: Reason(rawValue: response.error),
      hint: hint ?? entry?.hint ?? response.proofHint
    )
    provider = response
    provider?.correlationID = response.correlationID ?? sender?.sentCorrelationID
  }

  /// An unexpected response, such as a network's login page.
  package init(unexpected response: HTTPResponse, from url: String, what: String, hint: Hint? = nil) {
    var message = "\(url.printable()) returned status \(response.status) instead of \(what)"
    // RFC 6585 §6: 511 is a network's login page; others redirect there.
    let isPage = response.status == 511 || (300...399).contains(response.status)
    if isPage { message += "; it may come from a login page of the network" }
    // After 429 and 5xx, another attempt may work.
    let passes = response.status == 429 || response.status >= 500
    self.init(
      passes ? .providerUnreachable : .invalidResponse,
      message,
      reason: .init(rawValue: "http_\(response.status)"),
      hint: isPage ? .networkLogin : passes ? .tryAgainLater() : hint
    )
    httpStatus = response.status
  }

  init(_ error: TokenRefusal) {
    self.init(.invalidResponse, error.message, reason: Reason(rawValue: error.rule.rawValue))
  }

  /// Not all requested scopes were granted; the result is valid and stored.
  init(declined: Scopes, of result: TokenResult) {
    let names = declined.names.map { $0.printable(limit: 200) }.joined(separator: ", ")
    let hint: Hint = """
      \(result.account.username) is signed in for the rest; request no more, or \(signIn: declined.names) with \
      \(setting: "prompt", "consent", or: "the consent page")
      """
    let message = "the provider didn't grant \(names)"
    self.init(.serverDeclinedScopes, message, reason: "scopes_declined", hint: hint)
    declinedScopes = declined.names
    self.result = result
  }

  /// Several accounts match.
  package init(ambiguous accounts: [Account]) {
    let hint: Hint = """
      name one with \(setting: "account", or: "the account"), by its username or by the ID in parentheses, or switch \
      the current account
      """
    let message = "\(accounts.count) accounts match"
    self.init(.ambiguousAccount, message, reason: "ambiguous_account", hint: hint)
    candidates = accounts
  }
}
