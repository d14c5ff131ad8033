import Core

/// What a resource may demand beyond a valid token.
enum GraphChallenge: Sendable {
  /// Continuous Access Evaluation: a token issued after the time in the claims.
  case insufficientClaims
  /// A sign-in of the last minute with a stronger method (RFC 9470).
  case stepUp
  /// A scope that the token was not asked for (RFC 6750 §3.1).
  case insufficientScope

  private static let scope = "Mail.Read"
  private static let context = "urn:demo:two-factors"
  /// In seconds.
  private static let maximumAuthenticationAge: Int64 = 60

  /// Whether a token's grant satisfies it.
  func isMet(by grant: Grant, now: UnixTime) -> Bool {
    switch self {
    case .insufficientClaims: grant.accessTokenClaims.contains("nbf")
    case .insufficientScope: grant.scopes.contains { $0.hasSuffix(Self.scope) }
    case .stepUp: grant.acrValues.contains(Self.context) && now - grant.authTime <= Self.maximumAuthenticationAge
    }
  }

  /// The status of the response that makes it (RFC 6750 §3.1).
  var status: Int {
    switch self {
    case .insufficientClaims, .stepUp: 401
    case .insufficientScope: 403
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
    case .insufficientScope:
      return "Bearer realm=\"graph\", error=\"insufficient_scope\", scope=\"\(Self.scope)\""
    case .stepUp:
      return "Bearer error=\"insufficient_user_authentication\", "
        + "error_description=\"A second factor is required\", acr_values=\"\(Self.context)\", "
        + "max_age=\"\(Self.maximumAuthenticationAge)\""
    }
  }
}
