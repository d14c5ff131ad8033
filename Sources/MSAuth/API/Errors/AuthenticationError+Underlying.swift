import Desktop
import FoundationEssentials
import LibCrypto
import Loopback
import OAuth
import Core
import TokenCache
import Transport

// Each module has errors of its own; here they become the library's.

extension AuthenticationError {
  /// Runs a call and throws what stopped it as an error of this library.
  static func wrap<Value>(_ call: () throws -> Value) throws(AuthenticationError) -> Value {
    do {
      return try call()
    } catch {
      throw AuthenticationError(wrapping: error)
    }
  }

  /// Runs an asynchronous call and throws what stopped it as an error of this library.
  static func wrap<Value>(_ call: () async throws -> Value) async throws(AuthenticationError) -> Value {
    do {
      return try await call()
    } catch {
      throw AuthenticationError(wrapping: error)
    }
  }

  /// Whatever stopped a flow, as an error of this library.
  ///
  /// - Parameters:
  ///   - error: What stopped it.
  ///   - code: What an error of the protocol means in this place, unless it is more exact itself.
  package init(wrapping error: any Error, as code: Code = .serverError) {
    switch error {
    case let error as AuthenticationError: self = error
    case let error as OAuthError: self.init(error, as: code)
    case let error as TransportError: self.init(error)
    case let error as IDTokenError: self.init(error)
    case let error as LoopbackError: self.init(error)
    case let error as TokenCacheError: self.init(error)
    case let error as CryptoError where error.code == .noRandomness:
      self.init(.internalError, "the system has no random bytes to give", reason: .random)
    case is CancellationError: self.init(.canceled, "cancelled", reason: .canceled)
    default: self.init(.internalError, "unexpected error: \(error)".printable(), reason: .unexpected)
    }
  }

  /// A failure of the protocol.
  ///
  /// - Parameters:
  ///   - error: The protocol's error.
  ///   - code: What it means in this place, unless the error itself is more exact.
  ///   - origin: The request, if a provider answered.
  init(_ error: OAuthError, as code: Code, of origin: RequestOrigin? = nil) {
    switch error {
    case .server(let response):
      self.init(response, of: origin)
    case .serverUnavailable(_, let seconds):
      self.init(.providerUnreachable, error.message, reason: Reason(rawValue: error.code), remedy: error.remedy)
      retryAfter = seconds.map { .seconds($0) }
    case .invalidResponse, .unexpectedPage, .invalidMetadata, .otherIssuer, .bearerInstead, .userInfoSubject:
      self.init(.invalidResponse, error.message, reason: Reason(rawValue: error.code), remedy: error.remedy)
    case .invalidAuthority:
      self.init(.invalidConfiguration, error.message, reason: Reason(rawValue: error.code), remedy: error.remedy)
    case .invalidParameter, .reservedParameter:
      self.init(code, error.message, reason: Reason(rawValue: error.code), remedy: error.remedy)
    }
  }

  /// A provider's error response, from the browser or from an endpoint.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - origin: The request that it answers.
  ///   - personWasAsked: Whether it comes from a page that could ask the person: one is needed, it says, because the
  ///     person has just refused.
  init(_ response: OAuthErrorResponse, of origin: RequestOrigin? = nil, personWasAsked: Bool = false) {
    let isRefusal = personWasAsked && ["consent_required", "login_required"].contains(response.error)
    let code: Code =
      if response.meansDenied || isRefusal {
        .userCanceled
      } else if response.meansInteractionRequired {
        .interactionRequired
      } else if response.meansTryAgain {
        .providerUnreachable
      } else {
        .serverError
      }
    let entry = response.errorCodes.lazy.compactMap { AADSTS.entry($0) }.first
    let message: String =
      switch code {
      case .userCanceled: "the sign-in was denied or cancelled (\(response.error))"
      case .interactionRequired: "a person has to sign in: \(entry?.meaning ?? response.message)"
      default: entry.map { "the provider refused: \($0.meaning)" } ?? "the provider refused: \(response.message)"
      }
    let remedy = origin.flatMap { AADSTS.remedy(for: response, authority: $0.authority, clientID: $0.clientID) }
    self.init(
      code,
      message,
      reason: Reason(rawValue: response.error),
      remedy: remedy ?? entry?.remedy ?? response.proofRemedy,
      provider: ProviderError(
        error: response.error,
        description: response.description,
        subError: response.suberror,
        codes: response.errorCodes,
        correlationID: response.correlationID ?? origin?.sentCorrelationID,
        traceID: response.traceID,
        errorURI: response.errorURI.flatMap { URL(string: $0) },
        claims: response.claims
      )
    )
  }

  /// No response came.
  init(_ error: TransportError) {
    switch error.kind {
    case .unreachable:
      self.init(
        .providerUnreachable,
        error.message,
        reason: .unreachable,
        remedy: error.remedy ?? .checkNetwork(host: error.host)
      )
    case .untrusted:
      self.init(.invalidResponse, error.message, reason: .tlsUntrusted, remedy: error.remedy)
    case .tooLarge:
      self.init(.invalidResponse, error.message, reason: .responseTooLarge)
    case .refused:
      self.init(.invalidConfiguration, error.message, reason: .urlRefused, remedy: error.remedy)
    case .unavailable:
      self.init(.internalError, error.message, reason: .libcurlMissing, remedy: .install(package: "libcurl4"))
    case .cancelled:
      self.init(.canceled, "cancelled", reason: .canceled)
    }
  }

  /// A response that is not what the address answers.
  init(unexpected response: HTTPResponse, from url: String, what: String, remedy: Remedy? = nil) {
    var message = "\(url.printable()) answered \(response.status) where \(what) should be"
    // RFC 6585 §6: 511 is a network's login page; others redirect there.
    let isPage = response.status == 511 || (300...399).contains(response.status)
    if isPage { message += "; a login page of the network may have answered" }
    // 429 and 5xx pass: another attempt may do.
    let passes = response.status == 429 || response.status >= 500
    self.init(
      passes ? .providerUnreachable : .invalidResponse,
      message,
      reason: .httpStatus(response.status),
      remedy: isPage ? .passNetworkLogin : passes ? .tryAgainLater() : remedy
    )
    httpStatus = response.status
  }

  /// An ID token that breaks a rule.
  init(_ error: IDTokenError) {
    self.init(
      .invalidResponse,
      "the provider's ID token is refused: \(error.message)",
      reason: Reason(rawValue: error.code)
    )
  }

  /// The listener could not be opened.
  init(_ error: LoopbackError) {
    let remedy: Remedy? =
      switch error.kind {
      case .portNotAllowed: .advice("register a redirect URI with another port, from 1024 on, and use that")
      default: error.port == 0 ? nil : .freePort(error.port)
      }
    self.init(.listenerFailed, error.message, reason: Reason(rawValue: error.kind.rawValue), remedy: remedy)
  }

  /// The store cannot be used.
  init(_ error: TokenCacheError) {
    if error.kind == .cancelled {
      self.init(.canceled, "cancelled", reason: .canceled)
      return
    }
    self.init(.storeUnavailable, error.message, reason: Reason(rawValue: error.code), remedy: error.remedy)
  }

  /// A sign-in with the scope `openid` must bring an ID token (OpenID Connect Core §3.1.3.3).
  static var noIDToken: AuthenticationError {
    AuthenticationError(
      .invalidResponse,
      "the provider sent no ID token, though the scope openid was asked for",
      reason: .idTokenMissing
    )
  }

  /// Less was granted than asked for; the result is valid and stored.
  init(declined: Scopes, of result: TokenResult) {
    let names = declined.names.map { $0.printable(limit: 200) }
    self.init(
      .serverDeclinedScopes,
      "the provider did not grant \(names.joined(separator: ", "))",
      reason: .scopesDeclined,
      remedy: .consentToDeclinedScopes(username: result.account.username),
      result: result
    )
    declinedScopes = declined.names
  }

  /// Several accounts fit.
  ///
  /// - Parameter accounts: Those that do.
  public init(ambiguous accounts: [Account]) {
    self.init(
      .ambiguousAccount,
      "\(accounts.count) accounts are signed in",
      reason: .ambiguousAccount,
      remedy: .nameAccount,
      candidates: accounts
    )
  }
}
