import Core

/// What a resource may demand beyond a valid token.
enum GraphChallenge: Sendable {
  /// Continuous Access Evaluation: a token issued after the time in the claims.
  case insufficientClaims
  /// A sign-in of the last minute with a stronger method (RFC 9470).
  case stepUp

  private static let context = "urn:demo:two-factors"
  /// In seconds.
  private static let maximumAuthenticationAge: Int64 = 60

  /// Whether a token's grant satisfies it.
  func isMet(by grant: Grant, now: UnixTime) -> Bool {
    switch self {
    case .insufficientClaims: grant.accessTokenClaims.contains("nbf")
    case .stepUp: grant.acrValues.contains(Self.context) && now - grant.authTime <= Self.maximumAuthenticationAge
    }
  }

  /// The value of `WWW-Authenticate`.
  var field: String {
    switch self {
    case .insufficientClaims:
      let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1604106651"}}}"#
      // Microsoft writes base64 with padding.
      let encoded = Base64URL.encode(Array(claims.utf8))
      let padding = String(repeating: "=", count: (4 - encoded.utf8.count % 4) % 4)
      return "Bearer realm=\"\", authorization_uri=\"https://login.example/authorize\", error=\"insufficient_claims\", "
        + "claims=\"\(encoded)\(padding)\""
    case .stepUp:
      return "Bearer error=\"insufficient_user_authentication\", "
        + "error_description=\"A second factor is required\", acr_values=\"\(Self.context)\", "
        + "max_age=\"\(Self.maximumAuthenticationAge)\""
    }
  }
}
