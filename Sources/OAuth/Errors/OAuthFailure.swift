package import Core

extension Failure {
  /// The authority's URL is not one to sign in at.
  static func invalidAuthority(_ what: String) -> Failure {
    let hint: Hint = "an authority looks like https://login.microsoftonline.com/common or https://accounts.example.com"
    return Failure(.invalidConfiguration, "invalid_authority", "the authority \(what)".printable(), hint: hint)
  }

  /// The provider's metadata cannot be trusted or lacks what a sign-in needs.
  static func invalidMetadata(_ what: String) -> Failure {
    Failure(.invalidResponse, .invalidMetadata, "the provider's metadata cannot be used: \(what)".printable())
  }

  /// A parameter that the caller gave cannot be sent.
  package static func invalidParameter(name: String, reason: String) -> Failure {
    Failure(.invalidParameter, "invalid_parameter", "\(name) \(reason)".printable())
  }

  /// A parameter that the caller added is not for callers to set, or has a setting of its own.
  static func reservedParameter(name: String, reason: String, hint: Hint? = nil) -> Failure {
    Failure(.invalidParameter, "reserved_parameter", "\(name) is refused: \(reason)".printable(), hint: hint)
  }

  /// The provider's response is not what its endpoint returns.
  package static func invalidResponse(_ what: String) -> Failure {
    Failure(.invalidResponse, "invalid_response", "the provider's answer cannot be used: \(what)".printable())
  }

  /// A web page or a redirect where a provider sends JSON: networks with a login page of their own do that.
  static func unexpectedPage(_ what: String) -> Failure {
    let message = "the answer cannot be used: \(what); a login page of the network may have answered".printable()
    return Failure(.invalidResponse, "unexpected_page", message, hint: .networkLogin)
  }

  /// The provider issued a token that anybody can use, though one bound to the client's key was requested (RFC 9449 §5).
  package static let bearerInstead = Failure(
    .invalidResponse,
    "dpop_downgrade",
    "the provider gave a bearer token, though one bound to this client's key was asked for",
    hint: .requestDPoP
  )

  /// The userinfo response is about somebody else than the ID token (OpenID Connect Core §5.3.2).
  package static let userInfoSubject = Failure(
    .invalidResponse,
    "userinfo_subject_mismatch",
    "the provider's userinfo endpoint describes somebody else than its ID token"
  )

  /// The provider cannot answer now; `retryAfter` in seconds, if it says so.
  package static func serverUnavailable(status: Int, retryAfter: Int64?) -> Failure {
    let time = retryAfter.map { Duration.seconds($0) }
    var failure = Failure(
      .providerUnreachable,
      "server_unavailable",
      status == 429
        ? "the provider asks for fewer requests (HTTP status 429)"
        : "the provider cannot answer now (HTTP status \(status))",
      hint: .tryAgainLater(after: time)
    )
    failure.retryAfter = time
    return failure
  }
}
