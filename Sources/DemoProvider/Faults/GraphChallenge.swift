import MSAuthCore

/// What a resource requires in addition to a valid token.
enum GraphChallenge: Sendable {
  /// Continuous access evaluation: a token issued after the time in the claims.
  case insufficientClaims
  /// A recent sign-in with a stronger method (RFC 9470).
  case stepUp
  /// An additional scope (RFC 6750 §3.1).
  case insufficientScope

  private static let scope = "Mail.Read"
  private static let context = "urn:demo:two-factors"
  /// In seconds.
  private static let maximumAuthenticationAge: Int64 = 60

  func isMet(by grant: Grant, now: UnixTime) -> Bool {
    switch self {
    case .insufficientClaims: grant.accessTokenClaims.contains("nbf")
    case .insufficientScope: grant.scopes.contains { $0.hasSuffix(Self.scope) }
    case .stepUp: grant.acrValues.contains(Self.context) && now - grant.authTime <= Self.maximumAuthenticationAge
    }
  }

  /// RFC 6750 §3.1.
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
      // Microsoft adds padding.
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
