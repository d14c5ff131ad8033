@testable import DemoProvider
import MSAuth
import MSAuthCrypto

extension ConformanceModule {
  /// In the suite's order.
  static let all: [ConformanceModule] = plans.flatMap { plan, modules in
    modules.map { module in
      var module = module
      module.plan = plan
      return module
    }
  }

  private static let plans: [(Plan, [ConformanceModule])] = [
    (.basic, basic), (.config, config), (.formPost, formPost), (.refresh, refresh), (.comprehensive, comprehensive),
    (.logout, logout), (.fapi2, fapi2), (.own, own),
  ]

  private static let basic: [ConformanceModule] = [
    .init("", .completes),
    .init("-invalid-iss", with: [.invalidIss], .rejects("id_token_issuer_mismatch")).also("invalid-iss"),
    .init("-missing-sub", with: [.missingSub], .rejects("id_token_claim_missing")),
    .init("-invalid-aud", with: [.invalidAud], .rejects("id_token_audience_mismatch")).also("invalid-aud"),
    .init("-missing-iat", with: [.missingIat], .rejects("id_token_claim_missing")),
    .init("-kid-absent-single-jwks", with: [.kidAbsentSingleJWKS], .completes),
    .init("-kid-absent-multiple-jwks", with: [.kidAbsentMultipleJWKS], .completes),
    .init("-idtoken-sig-rs256", signed: .rs256, .completes),
    .init("-idtoken-sig-none", with: [.sigNone], signed: .rs256, .rejects("id_token_unsigned"))
      .also("invalid-null-alg"),
    .init("-invalid-sig-rs256", with: [.invalidSigRS256], signed: .rs256, .rejects("id_token_signature_invalid")),
    .init(
      "-userinfo-invalid-sub",
      with: [.userinfoInvalidSub, .scopeUserinfoClaims],
      .rejects("userinfo_subject_mismatch")
    ),
    .init("-nonce-invalid", with: [.nonceInvalid], .rejects("id_token_nonce_mismatch")).also("invalid-nonce"),
    .init("-scope-userinfo-claims", with: [.scopeUserinfoClaims], .completes)
      .showing("a request for profile", at: "/oidc/authorize") { $0["scope"]?.contains("profile") == true },
  ]

  private static let config: [ConformanceModule] = [
    .init("-discovery-openid-config", .completes)
      .showing(.init(words: "the configuration first") { $0.first?.path == "/oidc/.well-known/openid-configuration" }),
    .init("-discovery-jwks-uri-keys", with: [.discoveryKeysMoved], .completes)
      .showing("the keys at the configuration's jwks_uri", at: "/oidc/keys") { $0["moved"] == "1" },
    .init("-discovery-issuer-mismatch", with: [.discoveryIssuerMismatch], .rejects("invalid_metadata"))
      .also("discovery-issuer-mismatch"),
    .init(
      "-signing-key-rotation-just-before-signing",
      with: [.signingKeyRotationJustBeforeSigning],
      script: .twice,
      .completes
    ),
    .init("-signing-key-rotation", with: [.signingKeyRotation], script: .twice, .completes),
  ]

  private static let formPost: [ConformanceModule] = [
    .init("-form-post-error", script: .promptNone, .rejects("login_required"))
  ]

  private static let refresh: [ConformanceModule] = [
    .init("-refresh-token", script: .refresh, .completes).also("refresh-token-test"),
    .init(
      "-refresh-token-invalid-issuer",
      with: [.refreshTokenInvalidIssuer],
      script: .refresh,
      .rejects("id_token_issuer_mismatch")
    ),
    .init(
      "-refresh-token-invalid-sub",
      with: [.refreshTokenInvalidSub],
      script: .refresh,
      .rejects("id_token_refreshed_subject_changed")
    ),
  ]

  private static let comprehensive: [ConformanceModule] = [
    .init("-missing-aud", with: [.missingAud], .rejects("id_token_claim_missing")).also("missing-aud"),
    .init("-userinfo-bearer-header", .completes)
      .showing("the token in the header alone", at: "/oidc/userinfo") {
        $0.headerToken != nil && $0["access_token"] == nil
      },
    .init("-nonce-unless-code-flow", .completes)
      .showing("a nonce", at: "/oidc/authorize") { ($0["nonce"]?.utf8.count ?? 0) >= 43 },
    .init("-invalid-athash", with: [.invalidAtHash], .rejects("id_token_access_token_mismatch")),
    .init("-invalid-sig-hs256", with: [.invalidSigHS256], .rejects("id_token_symmetric_algorithm")),
    .init("-invalid-sig-es256", with: [.invalidSigES256], .rejects("id_token_signature_invalid")),
    .init("-aggregated-claims", with: [.aggregatedClaims, .scopeUserinfoClaims], .completes),
  ]

  private static let logout: [ConformanceModule] = [
    .init("-rp-init-logout", script: .signOut, .signsOut(.confirmed))
      .showing("id_token_hint, post_logout_redirect_uri and state", at: "/oidc/logout") {
        $0["id_token_hint"] != nil && $0["state"] != nil
          && $0["post_logout_redirect_uri"]?.hasPrefix("http://127.0.0.1:") == true
      },
    .init("-rp-init-logout-other-state", with: [.signOutOtherState], script: .signOut, .signsOut(.openedOnly)),
    .init("-rp-init-logout-no-state", with: [.signOutNoState], script: .signOut, .signsOut(.unconfirmed)),
  ]

  private static let fapi2: [ConformanceModule] = [
    .init("happy-path", signed: .ps256, .completes),
    .init("happy-path-no-dpop-nonce", dpop: true, .completes).showing(.proofs(withNonce: false)),
    .init("rs-dpop-auth-scheme-case-insensitivity", with: [.dpopSchemeCase], dpop: true, .completes)
      .showing(.resourceNonce),
    .init(
      "ensure-authorization-response-with-invalid-state-fails",
      with: [.invalidState],
      .ignores("state doesn't match this sign-in")
    ),
    .init(
      "ensure-authorization-response-with-invalid-missing-state-fails",
      with: [.missingState],
      .ignores("state is missing")
    ),
    .init("invalid-authorization-response-iss", with: [.invalidAuthorizationResponseIss], .rejects("iss_mismatch")),
    .init("remove-authorization-response-iss", with: [.removeAuthorizationResponseIss], .rejects("iss_mismatch")),
    .init("invalid-secondary-aud", with: [.invalidSecondaryAud], .rejects("id_token_audience_untrusted")),
    .init("missing-exp", with: [.missingExp], .rejects("id_token_claim_missing")),
    .init("missing-iss", with: [.missingIss], .rejects("id_token_claim_missing")),
    .init("missing-nonce", with: [.missingNonce], .rejects("id_token_nonce_missing")),
    .init("invalid-expired-exp", with: [.invalidExpiredExp], .rejects("id_token_expired")),
    .init("invalid-alternate-alg", with: [.invalidAlternateAlg], .rejects("id_token_algorithm_not_allowed")),
    .init("valid-aud-as-array", with: [.validAudAsArray], .completes),
    .init("token-type-case-insensitivity", with: [.tokenTypeCase], .completes),
    .init("token-endpoint-response-without-expires_in", with: [.tokenWithoutExpiresIn], .completes),
  ]

  private static let own: [ConformanceModule] = [
    .init("id-token-unknown-key", with: [.unknownKid], .rejects("id_token_key_unknown")),
    .init("id-token-missing", with: [.tokenWithoutIDToken], .rejects("id_token_missing")),
    .init(
      "id-token-issuer-of-another-tenant",
      with: [.foreignTenant],
      kind: .entra("common"),
      .rejects("id_token_issuer_mismatch")
    ),
    .init("dpop-nonce-demanded", with: [.dpopNonceDemanded], dpop: true, .completes).showing(.proofs(withNonce: true)),
    .init("dpop-pushed-request", with: [.pushRequired, .dpopNonceDemanded], dpop: true, .completes)
      .showing("a bound push with a proof", at: "/oidc/par") { $0["dpop_jkt"] != nil && $0.dpopProof != nil },
    .init("dpop-userinfo", with: [.scopeUserinfoClaims], dpop: true, .completes),
    .init("dpop-token-type-case", with: [.tokenTypeDPoP], dpop: true, .completes),
    .init("dpop-refresh", with: [.dpopNonceDemanded], dpop: true, script: .refresh, .completes),
    .init("dpop-refresh-downgrade", with: [.dpopDowngrade], dpop: true, script: .refresh, .rejects("dpop_downgrade")),
    .init("dpop-downgrade", with: [.dpopDowngrade], dpop: true, .rejects("dpop_downgrade")),
    .init("dpop-unasked", with: [.tokenTypeDPoP], .rejects("invalid_response")),
    .init("dpop-not-offered", with: [.dpopNotOffered], dpop: true, .rejects("dpop_not_offered")),
    .init("dpop-other-algorithms", with: [.dpopOtherAlgorithms], dpop: true, .rejects("dpop_not_offered")),
    .init("dpop-at-microsoft", kind: .entra("common"), dpop: true, .rejects("dpop_authority")),
    .init("dpop-nonce-withheld", with: [.dpopNonceWithheld], dpop: true, .rejects("dpop_nonce_missing")),
    .init("max-age-kept", script: .maxAge, .completes),
    .init("max-age-broken", with: [.oldAuthTime], script: .maxAge, .rejects("id_token_authentication_too_old")),
    .init("authorization-response-state-twice", with: [.duplicateState], .ignores("state occurs twice")),
    .init("authorization-response-code-and-error", with: [.codeAndError], .rejects("redirect_invalid")),
    .init("authorization-response-unasked-id-token", with: [.extraIDToken], .completes),
    .init("microsoft-entra-common", signed: .rs256, kind: .entra("common"), .completes),
    .init("microsoft-entra-tenant", signed: .rs256, kind: .entra("aaaabbbb-0000-cccc-1111-dddd2222eeee"), .completes),
  ]
}
