package import Core

/// What can go wrong in the protocol.
package enum OAuthError: Error, Sendable, Equatable {
  /// The authority's URL is not one to sign in at.
  case invalidAuthority(String)
  /// The provider's metadata cannot be trusted or lacks what a sign-in needs.
  case invalidMetadata(String)
  /// The provider's metadata names another issuer than the authority, at the same host.
  case otherIssuer(String, authority: String)
  /// A parameter that the caller gave cannot be sent.
  case invalidParameter(name: String, reason: String)
  /// A parameter that the caller added has a place of its own.
  case reservedParameter(name: String, reason: String, remedy: Remedy?)
  /// The provider's answer is not what its endpoint answers.
  case invalidResponse(String)
  /// A web page or a redirect came where a provider answers JSON: networks with a login page of their own do that.
  case unexpectedPage(String)
  /// The provider gave a token that anybody can use, though one bound to the client's key was asked for (RFC 9449 §5).
  case bearerInstead
  /// The userinfo response is about somebody else than the ID token (OpenID Connect Core §5.3.2).
  case userInfoSubject
  /// The provider answered with an OAuth error.
  case server(OAuthErrorResponse)
  /// The provider cannot answer now; `retryAfter` in seconds, when it said so.
  case serverUnavailable(status: Int, retryAfter: Int64?)
}

extension OAuthError {
  /// A word that names the case and does not change between versions.
  package var code: String {
    switch self {
    case .invalidAuthority: "invalid_authority"
    case .invalidMetadata, .otherIssuer: "invalid_metadata"
    case .invalidParameter: "invalid_parameter"
    case .reservedParameter: "reserved_parameter"
    case .invalidResponse: "invalid_response"
    case .unexpectedPage: "unexpected_page"
    case .bearerInstead: "dpop_downgrade"
    case .userInfoSubject: "userinfo_subject_mismatch"
    case .server(let response): response.error
    case .serverUnavailable: "server_unavailable"
    }
  }

  /// What went wrong, in one line that may be printed.
  package var message: String {
    switch self {
    case .invalidAuthority(let reason): "the authority \(reason)".printable()
    case .invalidMetadata(let reason): "the provider's metadata cannot be used: \(reason)".printable()
    case .otherIssuer(let issuer, let authority):
      "the provider's metadata cannot be used: issuer \(issuer.printable(limit: 200)) is not that of \(authority)"
        .printable()
    case .invalidParameter(let name, let reason): "\(name) \(reason)".printable()
    case .reservedParameter(let name, let reason, _): "\(name) is refused: \(reason)".printable()
    case .invalidResponse(let reason): "the provider's answer cannot be used: \(reason)".printable()
    case .unexpectedPage(let reason):
      "the answer cannot be used: \(reason); a login page of the network may have answered".printable()
    case .bearerInstead: "the provider gave a bearer token, though one bound to this client's key was asked for"
    case .userInfoSubject: "the provider's userinfo endpoint describes somebody else than its ID token"
    case .server(let response): response.message
    case .serverUnavailable(429, _): "the provider asks for fewer requests (HTTP status 429)"
    case .serverUnavailable(let status, _): "the provider cannot answer now (HTTP status \(status))"
    }
  }

  /// What to do about it, when that is known.
  package var remedy: Remedy? {
    switch self {
    case .invalidAuthority: .checkAuthority()
    case .server(let response): response.errorCodes.lazy.compactMap { AADSTS.entry($0)?.remedy }.first
    case .reservedParameter(_, _, let remedy): remedy
    case .serverUnavailable(_, let seconds): .tryAgainLater(after: seconds.map { .seconds($0) })
    case .otherIssuer(let issuer, _): .useIssuer(issuer)
    case .bearerInstead: .requestDPoP
    case .unexpectedPage: .passNetworkLogin
    case .invalidMetadata, .invalidParameter, .invalidResponse, .userInfoSubject: nil
    }
  }
}

extension OAuthError: CustomStringConvertible {
  package var description: String { message }
}
