import FlyingFox
import Foundation
import Core

extension Fault {
  /// What it changes: one line per fault.
  var injections: [Injection] {
    switch self {
    case .invalidIss: [.idToken { $0["iss"] = "https://other.example/" }]
    case .missingIss: [.idToken { $0["iss"] = nil }]
    case .missingSub: [.idToken { $0["sub"] = nil }]
    case .invalidAud: [.idToken { $0["aud"] = "99999999-0000-0000-0000-000000000000" }]
    case .missingAud: [.idToken { $0["aud"] = nil }]
    case .invalidSecondaryAud: [.idToken { $0["aud"] = [$0["aud"] ?? .null, "https://other.example/"] }]
    case .validAudAsArray: [.idToken { $0["aud"] = [$0["aud"] ?? .null] }]
    case .emptyAud: [.idToken { $0["aud"] = [] }]
    case .missingIat: [.idToken { $0["iat"] = nil }]
    case .missingExp: [.idToken { $0["exp"] = nil }]
    case .invalidExpiredExp: [.idToken { $0["exp"] = .number(JSON.Number(($0["iat"]?.integer ?? 0) - 3600)) }]
    case .nonceInvalid: [.idToken { if $0["nonce"] != nil { $0["nonce"] = "another-nonce" } }]
    case .missingNonce: [.idToken { $0["nonce"] = nil }]
    case .invalidAtHash: [.idToken { $0["at_hash"] = "AAAAAAAAAAAAAAAAAAAAAA" }]
    case .missingAtHash: [.idToken { $0["at_hash"] = nil }]
    case .foreignAzp: [.idToken { $0["azp"] = "99999999-0000-0000-0000-000000000000" }]
    case .notYetValid: [.idToken { $0["nbf"] = .number(JSON.Number(($0["iat"]?.integer ?? 0) + 3600)) }]
    case .issuedInFuture: [.idToken { $0["iat"] = .number(JSON.Number(($0["iat"]?.integer ?? 0) + 3600)) }]
    case .foreignTenant: [.idToken { $0["tid"] = "99999999-0000-0000-0000-000000000000" }]
    case .scopeUserinfoClaims: [.idToken { ($0["name"], $0["preferred_username"], $0["email"]) = (nil, nil, nil) }]
    case .oldAuthTime: [.idToken { $0["auth_time"] = .number(JSON.Number(($0["iat"]?.integer ?? 0) - 86_400)) }]
    case .missingAuthTime: [.idToken { $0["auth_time"] = nil }]
    case .refreshTokenInvalidIssuer: [.refreshedIDToken { $0["iss"] = "https://other.example/" }]
    case .refreshTokenInvalidSub: [.refreshedIDToken { $0["sub"] = "somebody-else" }]
    case .refreshTokenMovedAuthTime:
      [.idToken { $0["auth_time"] = $0["iat"]?.before }, .refreshedIDToken { $0["auth_time"] = $0["iat"] }]
    case .refreshTokenNonce: [.refreshedIDToken { $0["nonce"] = "unasked" }]
    case .refreshTokenExpiredIDToken: [.refreshedIDToken { $0["exp"] = 1 }]
    case .sigNone: [.header { ($0["alg"], $0["kid"]) = ("none", nil) }, .signature { $0 = [] }]
    case .invalidSigRS256: [.signature { $0[$0.count / 2] ^= 1 }]
    case .invalidSigHS256: [.header { $0["alg"] = "HS256" }, .signature { $0 = Array($0.prefix(32)) }]
    case .invalidSigES256: [.signature { $0[$0.count / 2] ^= 1 }]
    case .invalidAlternateAlg: [.header { $0["alg"] = $0["alg"] == "RS256" ? "PS256" : "RS256" }]
    case .unknownKid: [.header { $0["kid"] = "another-key" }]
    case .unknownCrit: [.header { ($0["crit"], $0["b64"]) = (["b64"], true) }]
    case .accessTokenType: [.header { $0["typ"] = "at+jwt" }]
    case .kidAbsentSingleJWKS: [.header { $0["kid"] = nil }]
    case .kidAbsentMultipleJWKS: [.header { $0["kid"] = nil }, .keys(.several)]
    case .signingKeyRotation: [.keys(.rotatedBetweenSignIns)]
    case .signingKeyRotationJustBeforeSigning: [.keys(.rotatedBeforeSigning)]
    case .discoveryIssuerMismatch: [.metadata { $0["issuer"] = "https://other.example/" }]
    case .discoveryScriptEndpoint: [.metadata { $0["authorization_endpoint"] = "javascript:alert(1)" }]
    case .discoveryKeysMoved: [.metadata { $0["jwks_uri"] = .string(($0["jwks_uri"]?.string ?? "") + "?moved=1") }]
    case .discoveryNoSignOut: [.metadata { $0["end_session_endpoint"] = nil }]
    case .discoveryNoRevocation: [.metadata { $0["revocation_endpoint"] = nil }]
    case .discoveryIssuerSlash:
      [
        .metadata { $0["issuer"] = $0["issuer"]?.withSlash },
        .authorizationResponse { $0 = $0.map { ($0.name, $0.name == "iss" ? $0.value + "/" : $0.value) } },
        .idToken { $0["iss"] = $0["iss"]?.withSlash },
      ]
    case .invalidAuthorizationResponseIss: [.authorizationResponse { $0.set("iss", "https://other.example/") }]
    case .otherTenantIss: [.authorizationIssuer(Tenant.bletchley.id)]
    case .removeAuthorizationResponseIss: [.authorizationResponse { $0.set("iss", nil) }]
    case .invalidState: [.authorizationResponse { $0.set("state", "another-state") }]
    case .missingState: [.authorizationResponse { $0.set("state", nil) }]
    case .duplicateState: [.authorizationResponse { $0.append(("state", "another-state")) }]
    case .duplicateIss: [.authorizationResponse { $0.append(("iss", "https://other.example/")) }]
    case .codeAndError: [.authorizationResponse { $0.append(("error", "server_error")) }]
    case .unaskedIDToken: [.authorizationResponse { $0.append(("id_token", "e30.e30.")) }]
    case .unaskedJWTResponse: [.authorizationResponse { $0.append(("response", "e30.e30.")) }]
    case .accessDenied: [.authorizationError(.denied)]
    case .pushRefused: [.metadata(Injection.offersPushing), .pushError(.refusedPush)]
    case .pushRequired:
      [.metadata(Injection.offersPushing), .metadata { $0["require_pushed_authorization_requests"] = true }]
    case .deviceSlowDown: [.deviceSlowDown]
    case .tokenWithoutExpiresIn: [.tokenResponse { ($0["expires_in"], $0["ext_expires_in"]) = (nil, nil) }]
    case .tokenTypeCase: [.tokenResponse { $0["token_type"] = "bEaReR" }]
    case .tokenTypeMAC: [.tokenResponse { $0["token_type"] = "mac" }]
    case .tokenTypeUpperCase: [.tokenResponse { $0["token_type"] = "BEARER" }]
    case .tokenTypeDPoP: [.tokenResponse { $0["token_type"] = "dPoP" }]
    case .tokenTypeMissing: [.tokenResponse { $0["token_type"] = nil }]
    case .tokenWithoutIDToken: [.tokenResponse { $0["id_token"] = nil }]
    case .tokenScopeNarrowed: [.tokenResponse { $0["scope"] = "openid profile" }]
    case .tokenRefreshIn: [.tokenResponse { $0["refresh_in"] = 1800 }]
    case .tokenExpiresInText: [.tokenResponse { $0["expires_in"] = "3600" }]
    case .tokenExpiresInNegative: [.tokenResponse { $0["expires_in"] = -1 }]
    case .tokenExpiresInHuge: [.tokenResponse { $0["expires_in"] = 9_007_199_254_740_993 }]
    case .tokenExpiresInInfinite: [.tokenText { $0.replacing("\"expires_in\":3600", with: "\"expires_in\":1e400") }]
    case .token503RetryAfter: [.tokenAnswer { .unavailable(retryAfter: 1) }]
    case .token503: [.tokenAnswer { .unavailable(retryAfter: nil) }]
    case .token503Once: [.tokenAnswerOnce { .unavailable(retryAfter: nil) }]
    case .token429RetryAfter: [.tokenAnswer { .unavailable(retryAfter: 7, status: 429) }]
    case .tokenGzipBomb: [.tokenAnswer { .gzipBomb }]
    case .tokenHTML: [.tokenAnswer { .page(PageFrame.render(title: "Welcome to the hotel's network", body: "")) }]
    case .tokenRedirect: [.tokenAnswer { .redirect(to: "https://other.example/token", status: .temporaryRedirect) }]
    case .tokenHuge: [.tokenAnswer { .json(["padding": .string(String(repeating: "x", count: 8 << 20))]) }]
    case .invalidClient: [.tokenError(.unknownClient)]
    case .invalidGrant: [.tokenError(.withdrawn)]
    case .refreshInvalidGrant: [.refreshError(.withdrawn)]
    case .refreshClientMismatch: [.refreshError(.withdrawn(suberror: "client_mismatch"))]
    case .refreshBadToken: [.refreshError(.withdrawn(suberror: "bad_token"))]
    case .refreshTokenExpired: [.refreshError(.withdrawn(suberror: "token_expired"))]
    case .refreshConsentRequired: [.refreshError(.consentRequired)]
    case .refreshClaimsChallenge: [.refreshError(.conditionalAccess)]
    case .refresh503: [.refreshError(.overloaded)]
    case .dpopNotOffered: [.metadata { $0["dpop_signing_alg_values_supported"] = nil }]
    case .dpopOtherAlgorithms: [.metadata { $0["dpop_signing_alg_values_supported"] = ["PS256", "EdDSA"] }]
    case .dpopDowngrade: [.tokenResponse { $0["token_type"] = "Bearer" }]
    case .dpopNonceDemanded: [.dpop(.nonceRequired)]
    case .dpopNonceLoop: [.dpop(.nonceLoop)]
    case .dpopNonceWithheld: [.dpop(.nonceWithheld)]
    case .dpopSchemeCase: [.dpop(.otherSchemeCase)]
    case .userinfoInvalidSub: [.userinfo { $0["sub"] = "somebody-else" }]
    case .aggregatedClaims:
      [
        .userinfo {
          $0["_claim_names"] = ["address": "src1"]
          $0["_claim_sources"] = ["src1": ["JWT": "eyJhbGciOiJub25lIn0.e30."]]
        }
      ]
    case .keys503: [.keysAnswer { .unavailable(retryAfter: nil) }]
    case .refreshOtherAccount: [.refreshResponse { $0["client_info"] = .string(Person.all[1].clientInfo) }]
    case .refreshWithoutClientInfo: [.refreshResponse { $0["client_info"] = nil }]
    case .graphInsufficientClaims: [.graphChallenge(.insufficientClaims)]
    case .claimsNeedPerson: [.claimsError(.secondFactorRequired)]
    case .graphStepUp: [.graphChallenge(.stepUp)]
    case .graphInsufficientScope: [.graphChallenge(.insufficientScope)]
    case .revocation503: [.revocationAnswer { .unavailable(retryAfter: 1) }]
    case .signOutOtherState: [.signOutResponse { $0.set("state", "another-state") }]
    case .signOutNoState: [.signOutResponse { $0.set("state", nil) }]
    }
  }
}

extension JSON {
  /// A time an hour before.
  fileprivate var before: JSON? { integer.map { .number(JSON.Number($0 - 3600)) } }

  /// A string with a slash appended.
  fileprivate var withSlash: JSON? { string.map { .string($0 + "/") } }
}

extension ProtocolError {
  static let denied = ProtocolError(
    "access_denied",
    "The user has cancelled the sign-in.",
    aadsts: 65004,
    suberror: "cancel"
  )
  static let unknownClient = ProtocolError(
    "invalid_client",
    "The application is not known in this directory.",
    aadsts: 700016,
    status: 401
  )
  static let withdrawn = withdrawn(suberror: "bad_token")

  static func withdrawn(suberror: String) -> ProtocolError {
    ProtocolError(
      "invalid_grant",
      "The grant was withdrawn, because the password was changed or an administrator did so.",
      aadsts: 50173,
      suberror: suberror
    )
  }

  static let secondFactorRequired = ProtocolError(
    "interaction_required",
    "Due to a configuration change made by your administrator you must use multi-factor authentication.",
    aadsts: 50076,
    suberror: "basic_action"
  )
  /// Conditional access, with the claims that the next sign-in must satisfy.
  static let conditionalAccess = ProtocolError(
    "interaction_required",
    "The application needs to enforce Conditional Access policies.",
    aadsts: 53003,
    suberror: "basic_action",
    claims: #"{"access_token":{"capolids":{"essential":true,"values":["a-policy"]}}}"#
  )
  static let overloaded = ProtocolError("temporarily_unavailable", "Too busy.", aadsts: 90033, status: 503)
  static let refusedPush = ProtocolError("invalid_request", "The pushed request is refused.", aadsts: 900144)
}

extension [(name: String, value: String)] {
  /// Gives a parameter another value, whether it was there or not, or takes it out.
  fileprivate mutating func set(_ name: String, _ value: String?) {
    removeAll { $0.name == name }
    if let value { append((name, value)) }
  }
}
