import FlyingFox
import MSAuthCore

/// A fault of the demo provider, or correct but unusual behavior.
///
/// The names are those of the OpenID Foundation's test modules where there is one
/// (`oidcc-client-test-…`, `fapi2-security-profile-final-client-test-…`), and otherwise those of the constants.
package struct Fault: RawRepresentable, CaseIterable, Hashable, Sendable {
  package let rawValue: String
  let inject: @Sendable (inout Injector) -> Void

  package init?(rawValue: String) {
    guard let fault = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = fault
  }

  private init(_ name: String, _ inject: @escaping @Sendable (inout Injector) -> Void) {
    (rawValue, self.inject) = (name, inject)
  }

  /// Changes a step of the protocol.
  private init<Value>(_ name: String, _ step: any Injector.Step<Value>, _ change: @escaping Injector.Change<Value>) {
    self.init(name) { $0[keyPath: step].append(change) }
  }

  /// Replaces a member of a JSON object, or removes it.
  private init(_ name: String, _ step: any Injector.Step<JSONValue.Object>, _ member: String, _ value: JSONValue?) {
    self.init(name, step) { $0[member] = value }
  }

  private init(_ name: String, _ step: any Injector.Step<Injector.Pairs>, _ parameter: String, _ value: String?) {
    self.init(name, step) { $0.set(parameter, value) }
  }

  private init(_ name: String, _ step: any Injector.Step<Injector.Pairs>, adds pair: (name: String, value: String)) {
    self.init(name, step) { $0.append(pair) }
  }

  // ID token: claims.
  static let invalidIss = Fault("invalid-iss", \.idToken, "iss", otherIssuer)
  static let missingIss = Fault("missing-iss", \.idToken, "iss", nil)
  static let missingSub = Fault("missing-sub", \.idToken, "sub", nil)
  static let invalidAud = Fault("invalid-aud", \.idToken, "aud", otherID)
  static let missingAud = Fault("missing-aud", \.idToken, "aud", nil)
  static let invalidSecondaryAud = Fault("invalid-secondary-aud", \.idToken) {
    $0["aud"] = [$0["aud"] ?? .null, otherIssuer]
  }
  static let validAudAsArray = Fault("valid-aud-as-array", \.idToken) { $0["aud"] = [$0["aud"] ?? .null] }
  static let missingIat = Fault("missing-iat", \.idToken, "iat", nil)
  static let missingExp = Fault("missing-exp", \.idToken, "exp", nil)
  static let invalidExpiredExp = Fault("invalid-expired-exp", \.idToken) { $0["exp"] = $0.issued(later: -3600) }
  static let nonceInvalid = Fault("nonce-invalid", \.idToken) {
    if $0["nonce"] != nil { $0["nonce"] = "another-nonce" }
  }
  static let missingNonce = Fault("missing-nonce", \.idToken, "nonce", nil)
  static let invalidAtHash = Fault("invalid-athash", \.idToken, "at_hash", "AAAAAAAAAAAAAAAAAAAAAA")
  package static let notYetValid = Fault("not-yet-valid", \.idToken) { $0["nbf"] = $0.issued(later: 3600) }
  package static let issuedInFuture = Fault("issued-in-future", \.idToken) { $0["iat"] = $0.issued(later: 3600) }
  static let foreignTenant = Fault("foreign-tenant", \.idToken, "tid", otherID)
  static let scopeUserinfoClaims = Fault("scope-userinfo-claims", \.idToken) {
    ($0["name"], $0["preferred_username"], $0["email"]) = ("", .null, nil)
  }
  static let oldAuthTime = Fault("old-auth-time", \.idToken) { $0["auth_time"] = $0.issued(later: -86_400) }
  static let refreshTokenInvalidIssuer = Fault("refresh-token-invalid-issuer", \.refreshed, "iss", otherIssuer)
  static let refreshTokenInvalidSub = Fault("refresh-token-invalid-sub", \.refreshed, "sub", "another-user")
  static let refreshTokenExpiredIDToken = Fault("refresh-token-expired-id-token", \.refreshed, "exp", 1)
  // ID token: signature.
  static let sigNone = Fault("sig-none") { injector in
    injector.header.append { ($0["alg"], $0["kid"]) = ("none", nil) }
    injector.signature.append { $0 = [] }
  }
  static let invalidSigRS256 = Fault("invalid-sig-rs256", \.signature) { $0[$0.count / 2] ^= 1 }
  static let invalidSigHS256 = Fault("invalid-sig-hs256") { injector in
    injector.header.append { $0["alg"] = "HS256" }
    injector.signature.append { $0 = Array($0.prefix(32)) }
  }
  static let invalidSigES256 = Fault("invalid-sig-es256", \.signature) { $0[$0.count / 2] ^= 1 }
  static let invalidAlternateAlg = Fault("invalid-alternate-alg", \.header) {
    $0["alg"] = $0["alg"] == "RS256" ? "PS256" : "RS256"
  }
  static let unknownKid = Fault("unknown-kid", \.header, "kid", "another-key")
  static let kidAbsentSingleJWKS = Fault("kid-absent-single-jwks", \.header, "kid", nil)
  static let kidAbsentMultipleJWKS = Fault("kid-absent-multiple-jwks") { injector in
    injector.header.append { $0["kid"] = nil }
    injector.keys = .several
  }
  static let signingKeyRotation = Fault("signing-key-rotation") { $0.keys = .rotatedBetweenSignIns }
  static let signingKeyRotationJustBeforeSigning = Fault("signing-key-rotation-just-before-signing") {
    $0.keys = .rotatedBeforeSigning
  }
  // Metadata.
  static let discoveryIssuerMismatch = Fault("discovery-issuer-mismatch", \.metadata, "issuer", otherIssuer)
  static let discoveryKeysMoved = Fault("discovery-jwks-uri-keys", \.metadata) {
    $0["jwks_uri"] = $0["jwks_uri"]?.string.map { .string($0 + "?moved=1") }
  }
  static let discoveryNoSignOut = Fault("discovery-no-sign-out", \.metadata, "end_session_endpoint", nil)
  static let discoveryNoRevocation = Fault("discovery-no-revocation", \.metadata, "revocation_endpoint", nil)
  // Authorization response.
  static let invalidAuthorizationResponseIss = Fault("invalid-authorization-response-iss", \.redirect) {
    $0.set("iss", "https://other.example/")
  }
  static let otherTenantIss = Fault("other-tenant-iss") { $0.issuerTenant = .bletchley }
  static let removeAuthorizationResponseIss = Fault("remove-authorization-response-iss", \.redirect, "iss", nil)
  package static let invalidState = Fault("ensure-authorization-response-with-invalid-state-fails", \.redirect) {
    $0.set("state", "another-state")
  }
  static let missingState = Fault("ensure-authorization-response-with-invalid-missing-state-fails", \.redirect) {
    $0.set("state", nil)
  }
  static let duplicateState = Fault("duplicate-state", \.redirect, adds: ("state", "another-state"))
  static let codeAndError = Fault("code-and-error", \.redirect, adds: ("error", "server_error"))
  static let extraIDToken = Fault("extra-id-token", \.redirect, adds: ("id_token", "e30.e30."))
  static let accessDenied = Fault("access-denied") { $0.authorizationError = .denied }
  static let pushRefused = Fault("push-refused") { injector in
    injector.offersPushing = true
    injector.pushError = ProtocolError("invalid_request", "The pushed request is rejected.", aadsts: 900144)
  }
  static let pushRequired = Fault("push-required") { ($0.offersPushing, $0.requiresPushing) = (true, true) }
  static let deviceSlowDown = Fault("device-slow-down") { $0.slowsDevices = true }
  // The token endpoint.
  static let tokenWithoutExpiresIn = Fault("token-endpoint-response-without-expires-in", \.tokenResponse) {
    ($0["expires_in"], $0["ext_expires_in"]) = (nil, nil)
  }
  static let tokenTypeCase = Fault("token-type-case-insensitivity", \.tokenResponse, "token_type", "bEaReR")
  static let tokenTypeMAC = Fault("token-type-mac", \.tokenResponse, "token_type", "mac")
  static let tokenTypeDPoP = Fault("token-type-dpop", \.tokenResponse, "token_type", "dPoP")
  static let tokenCreatedText = Fault("token-created-text", \.tokenHead) {
    ($0.statusCode, $0.headers[.contentType]) = (.created, "text/plain")
  }
  static let tokenWithoutIDToken = Fault("token-without-id-token", \.tokenResponse, "id_token", nil)
  static let tokenScopeNarrowed = Fault("token-scope-narrowed", \.tokenResponse, "scope", "openid profile")
  static let tokenRefreshIn = Fault("token-refresh-in", \.tokenResponse, "refresh_in", 1800)
  static let tokenExpiresInText = Fault("token-expires-in-text", \.tokenResponse, "expires_in", "3600")
  static let tokenExpiresInNegative = Fault("token-expires-in-negative", \.tokenResponse, "expires_in", -1)
  static let tokenExpiresInHuge = Fault("token-expires-in-huge", \.tokenResponse) {
    $0["expires_in"] = 9_007_199_254_740_993
  }
  static let token503RetryAfter = Fault("token-503-retry-after") {
    $0.tokenOverride = .unavailable(retryAfter: 1)
  }
  static let token503 = Fault("token-503") { $0.tokenOverride = .unavailable(retryAfter: nil) }
  static let token503Once = Fault("token-503-once") { $0.firstTokenOverride = .unavailable(retryAfter: nil) }
  static let token429RetryAfter = Fault("token-429-retry-after") {
    $0.tokenOverride = .unavailable(retryAfter: 7, status: 429)
  }
  static let tokenHTML = Fault("token-html") { $0.tokenOverride = .page("Welcome to the hotel's network", "") }
  static let tokenRedirect = Fault("token-redirect") {
    $0.tokenOverride = .redirect(to: "https://other.example/token", status: 307)
  }
  static let tokenHuge = Fault("token-huge", \.tokenResponse) {
    $0 = ["padding": .string(String(repeating: "x", count: 8 << 20))]
  }
  package static let invalidClient = Fault("invalid-client") { $0.tokenError = .unknownClient }
  package static let invalidGrant = Fault("invalid-grant") { $0.tokenError = .revoked("bad_token") }
  static let refreshBadToken = Fault("refresh-bad-token") { $0.refreshError = .revoked("bad_token") }
  static let refreshSlowDown = Fault("refresh-slow-down") {
    $0.refreshError = ProtocolError("slow_down", "Too many requests.", aadsts: 70016)
  }
  static let refreshConsentRequired = Fault("refresh-consent-required") { $0.refreshError = .consentRequired }
  static let keys503 = Fault("keys-503") { $0.keysOverride = .unavailable(retryAfter: nil) }
  static let refreshNoClientInfo = Fault("refresh-no-client-info", \.refreshResponse, "client_info", nil)
  static let refreshClaimsChallenge = Fault("refresh-claims-challenge") { $0.refreshError = .conditionalAccess }
  // DPoP.
  static let dpopNotOffered = Fault("dpop-not-offered", \.metadata, dpopAlgorithms, nil)
  static let dpopOtherAlgorithms = Fault("dpop-other-algorithms", \.metadata) {
    $0[dpopAlgorithms] = ["PS256", "EdDSA"]
  }
  static let dpopDowngrade = Fault("dpop-downgrade", \.tokenResponse, "token_type", "Bearer")
  static let dpopNonceDemanded = Fault("dpop-nonce-demanded") { $0.dpop = .nonceRequired }
  static let dpopNonceLoop = Fault("dpop-nonce-loop") { $0.dpop = .nonceLoop }
  static let dpopNonceWithheld = Fault("dpop-nonce-withheld") { $0.dpop = .nonceWithheld }
  static let dpopSchemeCase = Fault("rs-dpop-auth-scheme-case-insensitivity") { $0.dpop = .otherSchemeCase }
  // Userinfo, revocation, sign-out.
  static let userinfoInvalidSub = Fault("userinfo-invalid-sub", \.userinfo, "sub", "another-user")
  static let aggregatedClaims = Fault("aggregated-claims", \.userinfo) {
    $0["_claim_names"] = ["address": "src1"]
    $0["_claim_sources"] = ["src1": ["JWT": "eyJhbGciOiJub25lIn0.e30."]]
  }
  static let graphInsufficientClaims = Fault("graph-insufficient-claims") {
    $0.graphChallenge = .insufficientClaims
  }
  static let claimsNeedUser = Fault("claims-need-user") { $0.claimsError = .secondFactorRequired }
  static let graphStepUp = Fault("graph-step-up") { $0.graphChallenge = .stepUp }
  static let graphInsufficientScope = Fault("graph-insufficient-scope") {
    $0.graphChallenge = .insufficientScope
  }
  static let revocation503 = Fault("revocation-503") { $0.revocationOverride = .unavailable(retryAfter: 1) }
  static let signOutOtherState = Fault("rp-init-logout-other-state", \.signOutResponse) {
    $0.set("state", "another-state")
  }
  static let signOutNoState = Fault("rp-init-logout-no-state", \.signOutResponse, "state", nil)

  package static let allCases: [Fault] = [
    .invalidIss, .missingIss, .missingSub, .invalidAud, .missingAud, .invalidSecondaryAud, .validAudAsArray,
    .missingIat, .missingExp, .invalidExpiredExp, .nonceInvalid, .missingNonce, .invalidAtHash, .notYetValid,
    .issuedInFuture, .foreignTenant, .scopeUserinfoClaims, .oldAuthTime, .refreshTokenInvalidIssuer,
    .refreshTokenInvalidSub, .refreshTokenExpiredIDToken, .sigNone, .invalidSigRS256, .invalidSigHS256,
    .invalidSigES256, .invalidAlternateAlg, .unknownKid, .kidAbsentSingleJWKS, .kidAbsentMultipleJWKS,
    .signingKeyRotation, .signingKeyRotationJustBeforeSigning, .discoveryIssuerMismatch, .discoveryKeysMoved,
    .discoveryNoSignOut, .discoveryNoRevocation, .invalidAuthorizationResponseIss, .otherTenantIss,
    .removeAuthorizationResponseIss, .invalidState, .missingState, .duplicateState, .codeAndError,
    .extraIDToken, .accessDenied, .pushRefused, .pushRequired, .deviceSlowDown, .tokenWithoutExpiresIn,
    .tokenTypeCase, .tokenTypeMAC, .tokenTypeDPoP, .tokenWithoutIDToken, .tokenScopeNarrowed, .tokenRefreshIn,
    .tokenExpiresInText, .tokenExpiresInNegative, .tokenCreatedText, .tokenExpiresInHuge, .token503RetryAfter,
    .token503, .token503Once, .token429RetryAfter, .tokenHTML, .tokenRedirect, .tokenHuge, .invalidClient,
    .invalidGrant, .refreshBadToken, .refreshSlowDown, .refreshConsentRequired, .keys503, .refreshNoClientInfo,
    .refreshClaimsChallenge, .dpopNotOffered, .dpopOtherAlgorithms, .dpopDowngrade, .dpopNonceDemanded,
    .dpopNonceLoop, .dpopNonceWithheld, .dpopSchemeCase, .userinfoInvalidSub, .aggregatedClaims,
    .graphInsufficientClaims, .claimsNeedUser, .graphStepUp, .graphInsufficientScope, .revocation503,
    .signOutOtherState, .signOutNoState,
  ]
}

private let (otherIssuer, otherID): (JSONValue, JSONValue) = (
  "https://other.example/", "99999999-0000-0000-0000-000000000000"
)
private let dpopAlgorithms = "dpop_signing_alg_values_supported"

extension JSONValue.Object {
  /// The time of issue, shifted by seconds.
  fileprivate func issued(later seconds: Int64) -> JSONValue {
    .number(JSONValue.Number((self["iat"]?.integer ?? 0) + seconds))
  }
}

extension Injector.Pairs {
  /// Replaces a parameter, or removes it.
  fileprivate mutating func set(_ name: String, _ value: String?) {
    removeAll { $0.name == name }
    if let value { append((name, value)) }
  }
}
