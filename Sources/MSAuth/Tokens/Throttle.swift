import FoundationEssentials
import MSAuthCrypto

/// Keeps a request that has just failed from being sent again by any process on the store, in MSAL's windows.
struct Throttle: Sendable {
  /// After a 429 or 5xx that names no time; MSAL's.
  static let unavailable: Int64 = 60
  /// After a refusal, which the same request would get again; MSAL's.
  static let refused: Int64 = 120

  /// What is asked of whom for whom: a provider that is busy is left alone with this account altogether.
  private let endpoint: String
  private let clientID: String
  private let account: String
  private let refreshToken: Secret
  /// All the rest that the request says; the client's secret is in it.
  private let details: [String]

  init(
    _ parameters: TokenParameters,
    of account: Account,
    by refreshToken: Secret,
    endpoint: String,
    clientID: String,
    clientSecret: String?,
    capabilities: [String]
  ) {
    self.endpoint = endpoint
    self.clientID = clientID
    self.account = account.identifier
    self.refreshToken = refreshToken
    let scopes = parameters.scopes.map { $0.lowercased() }.sorted().joined(separator: " ")
    let query = parameters.extraQueryParameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    self.details = [
      scopes, parameters.claims ?? "", parameters.resource ?? "", FormEncoding.encode(query),
      JSONValue.array(capabilities.map { .string($0) }).serializedString(), clientSecret ?? "",
    ]
  }

  /// The failure that the same request met a moment ago; `provider` is asked.
  func hit(in document: TokenCacheDocument, now: UnixTime, of provider: Provider? = nil) -> AuthenticationError? {
    for key in [strict, foreign, full] {
      if let (failure, until) = document.throttled(key, now: now, maximumDuration: Lifetime.retryAfterLimit),
        var error = AuthenticationError(kept: failure, of: provider)
      {
        error.isThrottled = true
        error.retryAfter = .seconds(until - now)
        if error.code == .providerUnreachable { error.hint = .tryAgainLater(after: error.retryAfter) }
        return error
      }
    }
    return nil
  }

  /// Stores a failure, if it is of a kind that repeats itself; if that fails, the failure itself still matters more.
  func note(
    _ error: AuthenticationError,
    isForeign: Bool = false,
    in dependencies: Dependencies,
    holding lock: TokenCacheLock
  ) async {
    let now = dependencies.clock.now()
    guard var document = try? await dependencies.store.load() else { return }
    if isForeign {
      document.throttle(foreign, error.kept, until: now + Self.refused, now: now)
    } else if !note(error, in: &document, now: now) {
      return
    }
    try? await dependencies.store.settled().save(document, holding: lock)
  }

  private func note(_ error: AuthenticationError, in document: inout TokenCacheDocument, now: UnixTime) -> Bool {
    switch error.code {
    case .providerUnreachable where error.reason != .unreachable:
      let seconds = error.retryAfter?.secondsRoundedUp ?? Self.unavailable
      guard seconds > 0 else { return false }
      document.throttle(strict, error.kept, until: now + seconds, now: now)
    case .interactionRequired, .serverError, .userCanceled:
      guard error.provider != nil else { return false }
      document.throttle(full, error.kept, until: now + Self.refused, now: now)
    default: return false
    }
    return true
  }

  private var strict: String { Self.thumbprint([endpoint, clientID, account]) }
  private var foreign: String { Self.thumbprint([endpoint, clientID, account, refreshToken.revealed]) }
  private var full: String { Self.thumbprint([endpoint, clientID, account] + details + [refreshToken.revealed]) }

  /// A hash, for secrets are in it.
  private static func thumbprint(_ parts: [String]) -> String {
    let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
    return Base64URL.encode(Digest.sha256.hash(Array(text.utf8)))
  }
}

extension AuthenticationError {
  /// What is needed to make it again; none of it is secret.
  fileprivate var kept: String {
    var kept: JSONValue.Object = ["code": .string(code.rawValue), "message": .string(message)]
    kept["reason"] = reason.map { .string($0.rawValue) }
    kept["http_status"] = httpStatus.map { .string(String($0)) }
    kept["error"] = provider.map { .string($0.error) }
    kept["description"] = provider?.description.map { .string($0) }
    kept["sub_error"] = provider?.subError.map { .string($0) }
    kept["numbers"] = provider.map { .array($0.codes.map { .string(String($0)) }) }
    kept["error_uri"] = provider?.errorURI.map { .string($0.absoluteString) }
    kept["correlation_id"] = provider?.correlationID.map { .string($0) }
    kept["claims"] = provider?.claims.map { .string($0) }
    return String(decoding: JSONValue.object(kept).serialized(), as: UTF8.self)
  }

  fileprivate init?(kept text: String, of provider: Provider?) {
    guard let kept = try? JSONValue(parsing: text.utf8), let code = kept["code"]?.string.flatMap(Code.init),
      let message = kept["message"]?.string
    else { return nil }
    guard let error = kept["error"]?.string else {
      self.init(code, message, reason: kept["reason"]?.string.map { Reason(rawValue: $0) })
      httpStatus = kept["http_status"]?.string.flatMap { Int($0) }
      return
    }
    let response = ProviderError(
      error: error,
      description: kept["description"]?.string,
      subError: kept["sub_error"]?.string,
      codes: kept["numbers"]?.array?.compactMap { $0.string.flatMap { Int($0) } } ?? [],
      correlationID: kept["correlation_id"]?.string,
      errorURI: kept["error_uri"]?.string.flatMap { URL(string: $0) },
      claims: kept["claims"]?.string
    )
    self.init(response, of: provider)
  }
}
