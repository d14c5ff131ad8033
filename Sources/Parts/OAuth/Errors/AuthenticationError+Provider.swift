public import MSAuthCore

extension AuthenticationError {
  /// The provider's error.
  public var provider: ProviderError? {
    get { self[ProviderError.self] }
    set { self[ProviderError.self] = newValue }
  }

  /// A provider's error response, from the browser or from an endpoint.
  package init(_ response: ProviderError, userWasPrompted: Bool = false, isRefresh: Bool = false) {
    let isDeclined = userWasPrompted && ["consent_required", "login_required"].contains(response.error)
    let code: Code =
      if isRefresh, response.refreshRejection != nil {
        .interactionRequired
      } else if response.meansDenied || isDeclined {
        .userCanceled
      } else if response.meansInteractionRequired {
        .interactionRequired
      } else if response.meansTryAgain {
        .providerUnreachable
      } else {
        .serverError
      }
    let entry = response.knownCode?.entry
    let message: String =
      switch code {
      case .userCanceled where response.meansPolicy: "the sign-in was denied: \(entry?.meaning ?? response.message)"
      case .userCanceled: "the sign-in was denied or canceled (\(response.error))"
      case .interactionRequired: Self.signInAgain + (entry?.meaning ?? response.message)
      default: "the provider rejected the request: \(entry?.meaning ?? response.message)"
      }
    self.init(
      code,
      message,
      reason: Reason(rawValue: response.error),
      // RFC 9449 §5: the proof may have the wrong time.
      hint: entry?.hint ?? (response.error == "invalid_dpop_proof" ? .checkClock : nil)
        ?? (code == .userCanceled ? "\(signIn: []) and accept the requested permissions" : nil)
    )
    provider = response
  }

  static let signInAgain = "sign in again: "

  /// Why the user must sign in, without the request to do so.
  package var signInCause: Substring { message.trimmingPrefix(Self.signInAgain) }
}

extension AuthenticationError.Reason {
  package static let invalidAuthority: Self = "invalid_authority"
  package static let privateAddress: Self = "address_private"
}

extension AuthenticationError {
  static func invalidAuthority(_ what: String) -> AuthenticationError {
    let hint: Hint = "an authority looks like https://login.microsoftonline.com/common or https://accounts.example.com"
    let message = "the authority \(what)".printable()
    return AuthenticationError(.invalidConfiguration, message, reason: .invalidAuthority, hint: hint)
  }

  static func invalidTenant(_ tenant: String, _ what: String, hint: Hint?) -> AuthenticationError {
    let message = "the tenant \(tenant.printable(limit: 100).quoted) \(what)"
    return AuthenticationError(.invalidConfiguration, message, reason: "invalid_tenant", hint: hint)
  }

  static func invalidMetadata(_ what: String) -> AuthenticationError {
    let message = "the provider's metadata can't be used: \(what)".printable()
    return AuthenticationError(.invalidResponse, message, reason: .invalidMetadata)
  }

  package static func invalidParameter(name: String, reason: String) -> AuthenticationError {
    AuthenticationError(.invalidParameter, "\(name) \(reason)".printable(), reason: "invalid_parameter")
  }

  /// The caller added a parameter that the library sets, or that has a setting.
  static func reservedParameter(name: String, reason: String, hint: Hint? = nil) -> AuthenticationError {
    let message = "\(name) is rejected: \(reason)".printable()
    return AuthenticationError(.invalidParameter, message, reason: "reserved_parameter", hint: hint)
  }

  package static func invalidResponse(_ what: String) -> AuthenticationError {
    let message = "the provider's response can't be used: \(what)".printable()
    return AuthenticationError(.invalidResponse, message, reason: "invalid_response")
  }

  /// A web page or a redirect instead of JSON, usually from a login page of the network.
  static func unexpectedPage(_ what: String) -> AuthenticationError {
    let message = "the response can't be used: \(what); it may come from a login page of the network".printable()
    return AuthenticationError(.invalidResponse, message, reason: "unexpected_page", hint: .networkLogin)
  }

  /// RFC 9449 §5.
  static let bearerInstead = AuthenticationError(
    .invalidResponse,
    "the provider returned a bearer token instead of one bound to this client's key",
    reason: "dpop_downgrade",
    hint: .requestDPoP
  )

  /// OpenID Connect Core §5.3.2.
  package static let userInfoSubject = AuthenticationError(
    .invalidResponse,
    "the provider's userinfo response is for a different user than the ID token",
    reason: "userinfo_subject_mismatch"
  )

  /// The provider can't serve requests now; `retryAfter` in seconds.
  static func serverUnavailable(status: Int, retryAfter: Int64?) -> AuthenticationError {
    let time = retryAfter.map { Duration.seconds($0) }
    let what = status == 429 ? "received too many requests" : "is unavailable"
    let message = "the provider \(what) (HTTP status \(status))"
    let hint: Hint = .tryAgainLater(after: time)
    var failure = AuthenticationError(.providerUnreachable, message, reason: "server_unavailable", hint: hint)
    failure.retryAfter = time
    return failure
  }
}
