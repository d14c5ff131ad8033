import DemoProvider
import MSAuth
import MSAuthCrypto

extension Module {
  /// Every module that applies, in the suite's order.
  static let all: [Module] = basic + config + formPost + refresh + comprehensive + logout + fapi2 + own

  private static let basic: [Module] = [
    Module("", .basic, .completes),
    Module("-invalid-iss", .basic, with: [.invalidIss], .refuses("id_token_issuer_mismatch")),
    Module("-missing-sub", .basic, with: [.missingSub], .refuses("id_token_claim_missing")),
    Module("-invalid-aud", .basic, with: [.invalidAud], .refuses("id_token_audience_mismatch")),
    Module("-missing-iat", .basic, with: [.missingIat], .refuses("id_token_claim_missing")),
    Module("-kid-absent-single-jwks", .basic, with: [.kidAbsentSingleJWKS], .completes),
    Module("-kid-absent-multiple-jwks", .basic, with: [.kidAbsentMultipleJWKS], .completes),
    Module("-idtoken-sig-rs256", .basic, with: [], signed: .rs256, .completes),
    Module("-idtoken-sig-none", .basic, with: [.sigNone], signed: .rs256, .refuses("id_token_unsigned")),
    Module(
      "-invalid-sig-rs256",
      .basic,
      with: [.invalidSigRS256],
      signed: .rs256,
      .refuses("id_token_signature_invalid")
    ),
    Module(
      "-userinfo-invalid-sub",
      .basic,
      with: [.userinfoInvalidSub, .scopeUserinfoClaims],
      .refuses("userinfo_subject_mismatch")
    ),
    Module("-nonce-invalid", .basic, with: [.nonceInvalid], .refuses("id_token_nonce_mismatch")),
    Module(
      "-scope-userinfo-claims",
      .basic,
      with: [.scopeUserinfoClaims],
      .completes,
      evidence: Evidence(words: "profile asked for") { record in
        record.contains { $0.path == "/oidc/authorize" && $0["scope"]?.contains("profile") == true }
      }
    ),
  ]

  private static let config: [Module] = [
    Module(
      "-discovery-openid-config",
      .config,
      .completes,
      evidence: Evidence(words: "the configuration before all else") {
        $0.first?.path == "/oidc/.well-known/openid-configuration"
      }
    ),
    Module(
      "-discovery-jwks-uri-keys",
      .config,
      with: [.discoveryKeysMoved],
      .completes,
      evidence: Evidence(words: "the keys at the configuration's jwks_uri") { record in
        record.contains { $0.path == "/oidc/keys" && $0["moved"] == "1" }
      }
    ),
    Module("-discovery-issuer-mismatch", .config, with: [.discoveryIssuerMismatch], .refuses("invalid_metadata")),
    Module("-idtoken-sig-none", .config, with: [.sigNone], .refuses("id_token_unsigned")),
    Module(
      "-signing-key-rotation-just-before-signing",
      .config,
      with: [.signingKeyRotationJustBeforeSigning],
      script: .signInTwice,
      .completes
    ),
    Module("-signing-key-rotation", .config, with: [.signingKeyRotation], script: .signInTwice, .completes),
  ]

  private static let formPost: [Module] = [
    Module("-form-post-error", .formPost, script: .askForNothing, .refuses("login_required"))
  ]

  private static let refresh: [Module] = [
    Module("-refresh-token", .refresh, script: .refresh, .completes),
    Module(
      "-refresh-token-invalid-issuer",
      .refresh,
      with: [.refreshTokenInvalidIssuer],
      script: .refresh,
      .refuses("id_token_issuer_mismatch")
    ),
    Module(
      "-refresh-token-invalid-sub",
      .refresh,
      with: [.refreshTokenInvalidSub],
      script: .refresh,
      .refuses("id_token_refreshed_subject_changed")
    ),
  ]

  private static let comprehensive: [Module] = [
    Module("-missing-aud", .comprehensive, with: [.missingAud], .refuses("id_token_claim_missing")),
    Module(
      "-userinfo-bearer-header",
      .comprehensive,
      .completes,
      evidence: Evidence(words: "the token in the header alone") { record in
        record.contains { $0.path == "/oidc/userinfo" && $0.bearer != nil && $0["access_token"] == nil }
      }
    ),
    Module(
      "-nonce-unless-code-flow",
      .comprehensive,
      .completes,
      evidence: Evidence(words: "a nonce") { record in
        record.contains { $0.path == "/oidc/authorize" && ($0["nonce"]?.utf8.count ?? 0) >= 43 }
      }
    ),
    Module("-invalid-athash", .comprehensive, with: [.invalidAtHash], .refuses("id_token_access_token_mismatch")),
    Module("-invalid-sig-hs256", .comprehensive, with: [.invalidSigHS256], .refuses("id_token_symmetric_algorithm")),
    Module("-invalid-sig-es256", .comprehensive, with: [.invalidSigES256], .refuses("id_token_signature_invalid")),
    Module("-aggregated-claims", .comprehensive, with: [.aggregatedClaims, .scopeUserinfoClaims], .completes),
  ]

  private static let logout: [Module] = [
    Module(
      "-rp-init-logout",
      .logout,
      script: .signOut,
      .signsOut(.confirmed),
      evidence: Evidence(words: "id_token_hint, post_logout_redirect_uri and state") { record in
        record.contains {
          $0.path == "/oidc/logout" && $0["id_token_hint"] != nil && $0["state"] != nil
            && $0["post_logout_redirect_uri"]?.hasPrefix("http://127.0.0.1:") == true
        }
      }
    ),
    Module(
      "-rp-init-logout-other-state",
      .logout,
      with: [.signOutOtherState],
      script: .signOut,
      .signsOut(.openedOnly)
    ),
    Module("-rp-init-logout-no-state", .logout, with: [.signOutNoState], script: .signOut, .signsOut(.unconfirmed)),
  ]

  private static let fapi2: [Module] = [
    Module("happy-path", .fapi2, with: [], signed: .ps256, .completes),
    Module(
      "happy-path-no-dpop-nonce",
      .fapi2,
      usesDPoP: true,
      .completes,
      evidence: .proofs(withNonce: false)
    ),
    Module(
      "rs-dpop-auth-scheme-case-insensitivity",
      .fapi2,
      with: [.dpopSchemeCase],
      usesDPoP: true,
      .completes,
      evidence: .resourceNonce
    ),
    Module("discovery-issuer-mismatch", .fapi2, with: [.discoveryIssuerMismatch], .refuses("invalid_metadata")),
    Module(
      "ensure-authorization-response-with-invalid-state-fails",
      .fapi2,
      with: [.invalidState],
      .ignores("state is not that of this sign-in")
    ),
    Module(
      "ensure-authorization-response-with-invalid-missing-state-fails",
      .fapi2,
      with: [.missingState],
      .ignores("state is missing")
    ),
    Module(
      "invalid-authorization-response-iss",
      .fapi2,
      with: [.invalidAuthorizationResponseIss],
      .refuses("iss_mismatch")
    ),
    Module(
      "remove-authorization-response-iss",
      .fapi2,
      with: [.removeAuthorizationResponseIss],
      .refuses("iss_mismatch")
    ),
    Module("invalid-iss", .fapi2, with: [.invalidIss], .refuses("id_token_issuer_mismatch")),
    Module("invalid-aud", .fapi2, with: [.invalidAud], .refuses("id_token_audience_mismatch")),
    Module("invalid-secondary-aud", .fapi2, with: [.invalidSecondaryAud], .refuses("id_token_audience_untrusted")),
    Module("missing-aud", .fapi2, with: [.missingAud], .refuses("id_token_claim_missing")),
    Module("missing-exp", .fapi2, with: [.missingExp], .refuses("id_token_claim_missing")),
    Module("missing-iss", .fapi2, with: [.missingIss], .refuses("id_token_claim_missing")),
    Module("missing-nonce", .fapi2, with: [.missingNonce], .refuses("id_token_nonce_missing")),
    Module("invalid-expired-exp", .fapi2, with: [.invalidExpiredExp], .refuses("id_token_expired")),
    Module("invalid-nonce", .fapi2, with: [.nonceInvalid], .refuses("id_token_nonce_mismatch")),
    Module("invalid-null-alg", .fapi2, with: [.sigNone], .refuses("id_token_unsigned")),
    Module("invalid-alternate-alg", .fapi2, with: [.invalidAlternateAlg], .refuses("id_token_algorithm_not_allowed")),
    Module("valid-aud-as-array", .fapi2, with: [.validAudAsArray], .completes),
    Module("token-type-case-insensitivity", .fapi2, with: [.tokenTypeCase], .completes),
    Module("token-endpoint-response-without-expires_in", .fapi2, with: [.tokenWithoutExpiresIn], .completes),
    Module("refresh-token-test", .fapi2, script: .refresh, .completes),
  ]

  private static let own: [Module] = [
    Module("id-token-empty-aud", .own, with: [.emptyAud], .refuses("id_token_audience_mismatch")),
    Module("id-token-azp-of-another-client", .own, with: [.foreignAzp], .refuses("id_token_authorized_party_mismatch")),
    Module("id-token-not-yet-valid", .own, with: [.notYetValid], .refuses("id_token_not_yet_valid")),
    Module("id-token-issued-in-future", .own, with: [.issuedInFuture], .refuses("id_token_issued_in_future")),
    Module("id-token-without-at-hash", .own, with: [.missingAtHash], .completes),
    Module("id-token-unknown-key", .own, with: [.unknownKid], .refuses("id_token_key_unknown")),
    Module("id-token-unknown-crit", .own, with: [.unknownCrit], .refuses("id_token_critical_header")),
    Module("id-token-of-type-access-token", .own, with: [.accessTokenType], .refuses("id_token_other_type")),
    Module("id-token-missing", .own, with: [.tokenWithoutIDToken], .refuses("id_token_missing")),
    Module(
      "id-token-issuer-of-another-tenant",
      .own,
      with: [.foreignTenant],
      face: .entra("common"),
      .refuses("id_token_issuer_mismatch")
    ),
    Module(
      "dpop-nonce-demanded",
      .own,
      with: [.dpopNonceDemanded],
      usesDPoP: true,
      .completes,
      evidence: .proofs(withNonce: true)
    ),
    Module("dpop-pushed-request", .own, with: [.pushRequired, .dpopNonceDemanded], usesDPoP: true, .completes),
    Module("dpop-userinfo", .own, with: [.scopeUserinfoClaims], usesDPoP: true, .completes),
    Module("dpop-token-type-case", .own, with: [.tokenTypeDPoP], usesDPoP: true, .completes),
    Module("dpop-refresh", .own, with: [.dpopNonceDemanded], usesDPoP: true, script: .refresh, .completes),
    Module(
      "dpop-refresh-downgrade",
      .own,
      with: [.dpopDowngrade],
      usesDPoP: true,
      script: .refresh,
      .refuses("dpop_downgrade")
    ),
    Module("dpop-downgrade", .own, with: [.dpopDowngrade], usesDPoP: true, .refuses("dpop_downgrade")),
    Module("dpop-unasked", .own, with: [.tokenTypeDPoP], .refuses("invalid_response")),
    Module("dpop-not-offered", .own, with: [.dpopNotOffered], usesDPoP: true, .refuses("dpop_not_offered")),
    Module("dpop-other-algorithms", .own, with: [.dpopOtherAlgorithms], usesDPoP: true, .refuses("dpop_not_offered")),
    Module("dpop-at-microsoft", .own, face: .entra("common"), usesDPoP: true, .refuses("dpop_authority")),
    Module("DPoP nonce loop", .own, with: [.dpopNonceLoop], usesDPoP: true, .refuses("dpop_nonce_loop")),
    Module("dpop-nonce-withheld", .own, with: [.dpopNonceWithheld], usesDPoP: true, .refuses("dpop_nonce_missing")),
    Module("max-age-kept", .own, script: .signInWithin(seconds: 60), .completes),
    Module(
      "max-age-broken",
      .own,
      with: [.oldAuthTime],
      script: .signInWithin(seconds: 60),
      .refuses("id_token_authentication_too_old")
    ),
    Module(
      "max-age-unanswered",
      .own,
      with: [.missingAuthTime],
      script: .signInWithin(seconds: 60),
      .refuses("id_token_claim_missing")
    ),
    Module("authorization-response-state-twice", .own, with: [.duplicateState], .ignores("state is there twice")),
    Module("authorization-response-iss-twice", .own, with: [.duplicateIss], .ignores("iss is there twice")),
    Module("authorization-response-code-and-error", .own, with: [.codeAndError], .ignores("both code and error")),
    Module(
      "authorization-response-unasked-id-token",
      .own,
      with: [.unaskedIDToken],
      .ignores("id_token was not asked for")
    ),
    Module(
      "authorization-response-unasked-jwt",
      .own,
      with: [.unaskedJWTResponse],
      .ignores("response was not asked for")
    ),
    Module("discovery-script-endpoint", .own, with: [.discoveryScriptEndpoint], .refuses("invalid_metadata")),
    Module("microsoft-entra-common", .own, with: [], signed: .rs256, face: .entra("common"), .completes),
    Module(
      "microsoft-entra-tenant",
      .own,
      with: [],
      signed: .rs256,
      face: .entra("aaaabbbb-0000-cccc-1111-dddd2222eeee"),
      .completes
    ),
  ]
}
