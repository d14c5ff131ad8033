import MSAuthCore
import MSAuthJOSE
import MSAuthOAuth
import Testing

@Suite("The errors of an ID token")
struct IDTokenErrorTests {
  @Test("messages name what was expected and found, never a secret")
  func messages() throws {
    let signer = try SampleSignIn.signer()
    let keys = try SampleSignIn.keySet(signer.jwk())
    var claims = SampleSignIn.claims()
    claims["iss"] = "https://evil.example/\u{1b}[31m"
    let issuer = #expect(throws: TokenRefusal.self) {
      try IDToken.validate(signer.token(claims), keys: keys, rules: SampleSignIn.rules())
    }
    #expect(issuer?.message.contains(SampleSignIn.issuer) == true)
    #expect(issuer?.message.contains("\"https://evil.example/[31m\"") == true)
    #expect(issuer?.rule == .issuerMismatch)

    claims = SampleSignIn.claims()
    claims["nonce"] = "found-nonce"
    let nonce = #expect(throws: TokenRefusal.self) {
      try IDToken.validate(signer.token(claims), keys: keys, rules: SampleSignIn.rules())
    }
    #expect(nonce?.message.contains("found-nonce") == false)
    #expect(nonce?.message.contains(SampleSignIn.nonce.revealed) == false)
  }

  /// The codes that scripts may compare: `--json` prints them.
  static let codes: Set<String> = [
    "id_token_access_token_mismatch", "id_token_algorithm_not_allowed", "id_token_algorithm_unsupported",
    "id_token_audience_mismatch", "id_token_audience_untrusted", "id_token_authentication_too_old",
    "id_token_authorized_party_mismatch", "id_token_claim_malformed", "id_token_claim_missing",
    "id_token_critical_header", "id_token_duplicate_member", "id_token_encrypted", "id_token_expired",
    "id_token_issued_in_future", "id_token_issuer_mismatch", "id_token_key_issuer_mismatch", "id_token_key_unknown",
    "id_token_key_unsuitable", "id_token_malformed", "id_token_nonce_mismatch", "id_token_nonce_missing",
    "id_token_nonce_unexpected", "id_token_not_yet_valid", "id_token_other_type",
    "id_token_refreshed_audience_changed", "id_token_refreshed_auth_time_changed",
    "id_token_refreshed_authorized_party_changed", "id_token_refreshed_issued_earlier",
    "id_token_refreshed_issuer_changed", "id_token_refreshed_nonce_changed", "id_token_refreshed_subject_changed",
    "id_token_signature_invalid", "id_token_symmetric_algorithm", "id_token_too_large", "id_token_unsigned",
    "key_set_malformed", "key_set_too_large",
  ]

  @Test("the codes that scripts rely on stay as they are")
  func codes() {
    #expect(Set(TokenRefusal.Rule.allCases.map(\.rawValue)) == Self.codes)
  }
}
