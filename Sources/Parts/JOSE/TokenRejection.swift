/// Why an ID token, or the key set to verify it with, is not accepted.
package struct TokenRejection: Error, Sendable, Equatable {
  /// A rule; the raw values are stable.
  package enum Rule: String, Sendable, CaseIterable {
    // The form.
    case tooLarge = "id_token_too_large"
    case malformed = "id_token_malformed"
    case duplicateMember = "id_token_duplicate_member"
    case encrypted = "id_token_encrypted"
    case unsigned = "id_token_unsigned"
    case symmetricAlgorithm = "id_token_symmetric_algorithm"
    case algorithmUnsupported = "id_token_algorithm_unsupported"
    case algorithmNotAllowed = "id_token_algorithm_not_allowed"
    case criticalHeader = "id_token_critical_header"
    case otherType = "id_token_other_type"

    // The signature.
    case keyUnknown = "id_token_key_unknown"
    case keyUnsuitable = "id_token_key_unsuitable"
    case keyIssuerMismatch = "id_token_key_issuer_mismatch"
    case signatureInvalid = "id_token_signature_invalid"

    // The claims.
    case claimMissing = "id_token_claim_missing"
    case claimMalformed = "id_token_claim_malformed"
    case issuerMismatch = "id_token_issuer_mismatch"
    case audienceMismatch = "id_token_audience_mismatch"
    case audienceUntrusted = "id_token_audience_untrusted"
    case authorizedPartyMismatch = "id_token_authorized_party_mismatch"
    case expired = "id_token_expired"
    case notYetValid = "id_token_not_yet_valid"
    case issuedInFuture = "id_token_issued_in_future"
    case nonceMissing = "id_token_nonce_missing"
    case nonceMismatch = "id_token_nonce_mismatch"
    case nonceUnexpected = "id_token_nonce_unexpected"
    case accessTokenMismatch = "id_token_access_token_mismatch"
    case authenticationTooOld = "id_token_authentication_too_old"

    // A refreshed token compared with the one before it.
    case refreshedIssuerChanged = "id_token_refreshed_issuer_changed"
    case refreshedSubjectChanged = "id_token_refreshed_subject_changed"
    case refreshedAudienceChanged = "id_token_refreshed_audience_changed"
    case refreshedIssuedEarlier = "id_token_refreshed_issued_earlier"
    case refreshedNonceChanged = "id_token_refreshed_nonce_changed"

    // The key set.
    case keySetMalformed = "key_set_malformed"
    case keySetTooLarge = "key_set_too_large"
  }

  package let rule: Rule
  /// What was expected and found, fit for a terminal; never the token, a nonce or a hash of an access token.
  package let message: String

  package init(_ rule: Rule, _ message: String) {
    self.rule = rule
    self.message = message
  }

  /// Whether the provider may have changed its keys, so that the key set should be fetched once more: a provider may reuse
  /// a key's name or give its keys no names.
  package var mayComeFromStaleKeys: Bool { rule == .keyUnknown || rule == .signatureInvalid }
}

extension TokenRejection: CustomStringConvertible {
  package var description: String { "\(message) (\(rule.rawValue))" }
}
