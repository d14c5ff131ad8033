import FlyingFox
import Foundation
import Primitives

/// Something that the demo provider does wrong, or rightly but unusually.
///
/// The names are those of the OpenID Foundation's test modules where there is one
/// (`oidcc-client-test-…`, `fapi2-security-profile-final-client-test-…`).
package enum Fault: String, Sendable, CaseIterable {
  // ID token: what it says.
  case invalidIss = "invalid-iss"
  case missingIss = "missing-iss"
  case missingSub = "missing-sub"
  case invalidAud = "invalid-aud"
  case missingAud = "missing-aud"
  case invalidSecondaryAud = "invalid-secondary-aud"
  case validAudAsArray = "valid-aud-as-array"
  case emptyAud = "empty-aud"
  case missingIat = "missing-iat"
  case missingExp = "missing-exp"
  case invalidExpiredExp = "invalid-expired-exp"
  case nonceInvalid = "nonce-invalid"
  case missingNonce = "missing-nonce"
  case invalidAtHash = "invalid-athash"
  case refreshTokenInvalidIssuer = "refresh-token-invalid-issuer"
  case refreshTokenInvalidSub = "refresh-token-invalid-sub"
  // ID token: how it is signed.
  case sigNone = "sig-none"
  case invalidSigRS256 = "invalid-sig-rs256"
  case invalidSigHS256 = "invalid-sig-hs256"
  case kidAbsentSingleJWKS = "kid-absent-single-jwks"
  case kidAbsentMultipleJWKS = "kid-absent-multiple-jwks"
  case signingKeyRotation = "signing-key-rotation"
  case signingKeyRotationJustBeforeSigning = "signing-key-rotation-just-before-signing"
  // Metadata.
  case discoveryIssuerMismatch = "discovery-issuer-mismatch"
  case discoveryScriptEndpoint = "discovery-script-endpoint"
  // The way back from the browser.
  case invalidAuthorizationResponseIss = "invalid-authorization-response-iss"
  case removeAuthorizationResponseIss = "remove-authorization-response-iss"
  case invalidState = "ensure-authorization-response-with-invalid-state-fails"
  case missingState = "ensure-authorization-response-with-invalid-missing-state-fails"
  case accessDenied = "access-denied"
  // The token endpoint.
  case tokenWithoutExpiresIn = "token-endpoint-response-without-expires-in"
  case tokenTypeCase = "token-type-case-insensitivity"
  case tokenTypeMAC = "token-type-mac"
  case tokenExpiresInText = "token-expires-in-text"
  case tokenExpiresInNegative = "token-expires-in-negative"
  case token503RetryAfter = "token-503-retry-after"
  case tokenHTML = "token-html"
  case tokenRedirect = "token-redirect"
  case tokenHuge = "token-huge"
  case invalidClient = "invalid-client"
  case invalidGrant = "invalid-grant"
  case refreshInvalidGrant = "refresh-invalid-grant"
  // Userinfo, revocation, sign-out.
  case userinfoInvalidSub = "userinfo-invalid-sub"
  case revocation503 = "revocation-503"
  case signOutOtherState = "rp-init-logout-other-state"
  case signOutNoState = "rp-init-logout-no-state"

  /// What it does: one line a fault.
  var effects: [Effect] {
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
    case .invalidExpiredExp: [.idToken { $0["exp"] = .number(Decimal(($0["iat"]?.integer ?? 0) - 3600)) }]
    case .nonceInvalid: [.idToken { if $0["nonce"] != nil { $0["nonce"] = "another-nonce" } }]
    case .missingNonce: [.idToken { $0["nonce"] = nil }]
    case .invalidAtHash: [.idToken { $0["at_hash"] = "AAAAAAAAAAAAAAAAAAAAAA" }]
    case .refreshTokenInvalidIssuer: [.refreshedIDToken { $0["iss"] = "https://other.example/" }]
    case .refreshTokenInvalidSub: [.refreshedIDToken { $0["sub"] = "somebody-else" }]
    case .sigNone: [.header { ($0["alg"], $0["kid"]) = ("none", nil) }, .signature { $0 = [] }]
    case .invalidSigRS256: [.signature { $0[$0.count / 2] ^= 1 }]
    case .invalidSigHS256: [.header { $0["alg"] = "HS256" }, .signature { $0 = Array($0.prefix(32)) }]
    case .kidAbsentSingleJWKS: [.header { $0["kid"] = nil }]
    case .kidAbsentMultipleJWKS: [.header { $0["kid"] = nil }, .keys(.several)]
    case .signingKeyRotation: [.keys(.rotatedBetweenSignIns)]
    case .signingKeyRotationJustBeforeSigning: [.keys(.rotatedBeforeSigning)]
    case .discoveryIssuerMismatch: [.metadata { $0["issuer"] = "https://other.example/" }]
    case .discoveryScriptEndpoint: [.metadata { $0["authorization_endpoint"] = "javascript:alert(1)" }]
    case .invalidAuthorizationResponseIss: [.authorizationResponse { $0.set("iss", "https://other.example/") }]
    case .removeAuthorizationResponseIss: [.authorizationResponse { $0.set("iss", nil) }]
    case .invalidState: [.authorizationResponse { $0.set("state", "another-state") }]
    case .missingState: [.authorizationResponse { $0.set("state", nil) }]
    case .accessDenied: [.authorizationError(.denied)]
    case .tokenWithoutExpiresIn: [.tokenResponse { ($0["expires_in"], $0["ext_expires_in"]) = (nil, nil) }]
    case .tokenTypeCase: [.tokenResponse { $0["token_type"] = "bEaReR" }]
    case .tokenTypeMAC: [.tokenResponse { $0["token_type"] = "mac" }]
    case .tokenExpiresInText: [.tokenResponse { $0["expires_in"] = "3600" }]
    case .tokenExpiresInNegative: [.tokenResponse { $0["expires_in"] = -1 }]
    case .token503RetryAfter: [.tokenAnswer { .unavailable(retryAfter: 1) }]
    case .tokenHTML: [.tokenAnswer { .page(PageFrame.render(title: "Welcome to the hotel's network", body: "")) }]
    case .tokenRedirect: [.tokenAnswer { .redirect(to: "https://other.example/token", status: .temporaryRedirect) }]
    case .tokenHuge: [.tokenAnswer { .json(["padding": .string(String(repeating: "x", count: 8 << 20))]) }]
    case .invalidClient: [.tokenError(.unknownClient)]
    case .invalidGrant: [.tokenError(.withdrawn)]
    case .refreshInvalidGrant: [.refreshError(.withdrawn)]
    case .userinfoInvalidSub: [.userinfo { $0["sub"] = "somebody-else" }]
    case .revocation503: [.revocationAnswer { .unavailable(retryAfter: 1) }]
    case .signOutOtherState: [.signOutResponse { $0.set("state", "another-state") }]
    case .signOutNoState: [.signOutResponse { $0.set("state", nil) }]
    }
  }
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
  static let withdrawn = ProtocolError(
    "invalid_grant",
    "The grant was withdrawn, because the password was changed or an administrator did so.",
    aadsts: 50173,
    suberror: "bad_token"
  )
}

extension [(name: String, value: String)] {
  /// Gives a parameter another value, whether it was there or not, or takes it out.
  fileprivate mutating func set(_ name: String, _ value: String?) {
    removeAll { $0.name == name }
    if let value { append((name, value)) }
  }
}
