package import MSAuthCore

extension Failure {
  static func invalidAuthority(_ what: String) -> Failure {
    let hint: Hint = "an authority looks like https://login.microsoftonline.com/common or https://accounts.example.com"
    return Failure(.invalidConfiguration, "invalid_authority", "the authority \(what)".printable(), hint: hint)
  }

  static func invalidMetadata(_ what: String) -> Failure {
    Failure(.invalidResponse, .invalidMetadata, "the provider's metadata can't be used: \(what)".printable())
  }

  package static func invalidParameter(name: String, reason: String) -> Failure {
    Failure(.invalidParameter, "invalid_parameter", "\(name) \(reason)".printable())
  }

  /// The caller added a parameter that the library sets, or that has a setting.
  static func reservedParameter(name: String, reason: String, hint: Hint? = nil) -> Failure {
    Failure(.invalidParameter, "reserved_parameter", "\(name) is refused: \(reason)".printable(), hint: hint)
  }

  package static func invalidResponse(_ what: String) -> Failure {
    Failure(.invalidResponse, "invalid_response", "the provider's response can't be used: \(what)".printable())
  }

  /// A web page or a redirect instead of JSON, usually from a login page of the network.
  static func unexpectedPage(_ what: String) -> Failure {
    let message = "the response can't be used: \(what); it may come from a login page of the network".printable()
    return Failure(.invalidResponse, "unexpected_page", message, hint: .networkLogin)
  }

  /// RFC 9449 §5.
  package static let bearerInstead = Failure(
    .invalidResponse,
    "dpop_downgrade",
    "the provider returned a bearer token instead of one bound to this client's key",
    hint: .requestDPoP
  )

  /// OpenID Connect Core §5.3.2.
  package static let userInfoSubject = Failure(
    .invalidResponse,
    "userinfo_subject_mismatch",
    "the provider's userinfo response is about another user than its ID token"
  )

  /// The provider can't serve requests now; `retryAfter` in seconds.
  package static func serverUnavailable(status: Int, retryAfter: Int64?) -> Failure {
    let time = retryAfter.map { Duration.seconds($0) }
    var failure = Failure(
      .providerUnreachable,
      "server_unavailable",
      status == 429
        ? "the provider received too many requests (HTTP status 429)"
        : "the provider is unavailable (HTTP status \(status))",
      hint: .tryAgainLater(after: time)
    )
    failure.retryAfter = time
    return failure
  }
}
