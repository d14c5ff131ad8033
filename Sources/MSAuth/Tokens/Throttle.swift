import FoundationEssentials
import MSAuthCrypto

/// Keeps every process that shares the store from repeating a request that just failed, for MSAL's intervals.
struct Throttle: Sendable {
  /// Seconds after a status of 429 or 5xx without `Retry-After`.
  static let unavailable: Int64 = 60
  /// Seconds after a rejection, since the same request would be rejected again.
  static let rejected: Int64 = 120

  /// A busy provider gets no requests for this account at all.
  private let sessionKey: String
  /// A refresh token that returned another user's tokens isn't sent, whatever the request is.
  private let tokenKey: String
  private let requestKey: String
  private let provider: Provider

  init(_ request: ResolvedRequest, of account: Account, by refreshToken: Secret, at provider: Provider) {
    let configuration = provider.context.configuration
    let query = request.extraQuery.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    let session = [provider.metadata.tokenEndpoint, configuration.clientID, account.identifier]
    let details = [
      request.scopes.names.map { $0.lowercased() }.sorted().joined(separator: " "),
      request.claims ?? "",
      request.resource ?? "",
      FormEncoding.encode(query),
      configuration.clientSecret ?? "",
    ]
    sessionKey = Self.thumbprint(session)
    tokenKey = Self.thumbprint(session + [refreshToken.revealed])
    requestKey = Self.thumbprint(session + details + [refreshToken.revealed])
    self.provider = provider
  }

  /// A hash, since some parts are secret.
  private static func thumbprint(_ parts: [String]) -> String {
    let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
    return Base64URL.encode(Digest.sha256.hash(text.utf8))
  }

  /// The failure of the same request, if it was recent.
  func recentFailure(in document: TokenCacheDocument) -> AuthenticationError? {
    let now = provider.context.now
    for key in [sessionKey, tokenKey, requestKey] {
      if let (failure, until) = document.throttled(key, now: now, maximumDuration: Lifetime.retryAfterLimit),
        var error = AuthenticationError(stored: failure, of: provider)
      {
        error.isThrottled = true
        error.retryAfter = .seconds(until - now)
        if error.code == .providerUnreachable { error.hint = .tryAgainLater(after: error.retryAfter) }
        return error
      }
    }
    return nil
  }

  /// Stores a failure that would recur; an error while storing it is ignored, since the failure matters more.
  func note(_ error: AuthenticationError, isForeign: Bool = false, holding lock: TokenCacheLock) async {
    let (store, now) = (provider.context.store, provider.context.now)
    guard let (key, seconds) = isForeign ? (tokenKey, Self.rejected) : interval(after: error), seconds > 0,
      var document = try? await store.load()
    else { return }
    document.throttle(key, error.stored, until: now + seconds, now: now)
    try? await store.writable().save(document, holding: lock)
  }

  private func interval(after error: AuthenticationError) -> (key: String, seconds: Int64)? {
    switch error.code {
    case .providerUnreachable where error.reason != .unreachable:
      (sessionKey, error.retryAfter?.secondsRoundedUp ?? Self.unavailable)
    case .interactionRequired, .serverError, .userCanceled:
      error.provider == nil && error.reason != .refreshTokenRefused ? nil : (requestKey, Self.rejected)
    default: nil
    }
  }
}

extension AuthenticationError {
  /// JSON with the members of an OAuth error response; none of them is secret.
  fileprivate var stored: String {
    JSONValue(omittingNil: [
      "code": .string(code.rawValue), "message": .string(message), "reason": reason.map { .string($0.rawValue) },
      "http_status": httpStatus.map { .string(String($0)) },
      "error": provider.map { .string($0.error) },
      "error_description": provider?.description.map { .string($0) },
      "suberror": provider?.subError.map { .string($0) },
      "error_codes": provider.map { .array($0.codes.map { .number(.init($0)) }) },
      "error_uri": provider?.errorURI.map { .string($0.absoluteString) },
      "correlation_id": provider?.correlationID.map { .string($0) },
      "claims": provider?.claims.map { .string($0) },
    ]).serializedString()
  }

  fileprivate init?(stored text: String, of provider: Provider) {
    guard let stored = try? JSONValue(parsing: text.utf8).object, let code = stored["code"]?.string.flatMap(Code.init),
      let message = stored["message"]?.string
    else { return nil }
    if let response = ProviderError(json: stored) {
      self = provider.withProviderHint(AuthenticationError(response, isRefresh: true))
    } else {
      self.init(code, message, reason: stored["reason"]?.string.map { Reason(rawValue: $0) })
      httpStatus = stored["http_status"]?.string.flatMap { Int($0) }
    }
  }
}
