import Core

/// What a resource demands of the next token.
package struct ClaimsChallenge: Sendable, Equatable {
  /// A JSON object for `claims` (Microsoft's Continuous Access Evaluation).
  package let claims: String?
  /// The authentication contexts that would do (RFC 9470 §3).
  package let acrValues: String?
  /// The maximum age of the sign-in, in seconds (RFC 9470 §3).
  package let maxAge: Int64?
  /// The scopes that the token must have (RFC 6750 §3); empty if the resource does not say.
  package let scopes: [String]
  /// Whether the token itself was refused, as one that expired or was revoked (RFC 6750 §3.1, `invalid_token`).
  package let needsNewToken: Bool

  /// Reads the challenges of a 401 or 403; nil if no token would be any better.
  ///
  /// Each challenge counts for itself (RFC 9110 §11.6.1): an error of one says nothing about the parameters of another.
  /// Where none has an error, no token was sent (RFC 6750 §3.1): any that has the scopes will do.
  package init?(wwwAuthenticate fields: [String]) {
    let challenges = AuthenticationChallenge.all(in: fields)
    /// What is said beside one of these errors.
    func parameters(of error: String) -> [[String: String]] {
      // Azure Resource Manager sends claims with a token's refusal too.
      challenges.map(\.parameters).filter { $0["error"] == error || $0["error"] == Self.invalidToken }
    }
    needsNewToken = challenges.contains { $0.parameters["error"] == Self.invalidToken }
    claims = parameters(of: "insufficient_claims").lazy.compactMap { $0["claims"].flatMap(Self.claims) }.first
    // These are written into parameters of our own request: nothing but what can stand there.
    let stepUp = parameters(of: "insufficient_user_authentication")
    acrValues = stepUp.lazy.compactMap { $0["acr_values"] }.first { values in
      values.utf8.count <= 1024 && values.utf8.allSatisfy { $0 == 0x20 || $0.isASCIIVisible }
    }
    maxAge = stepUp.lazy.compactMap { $0["max_age"].flatMap(Lifetime.seconds) }.first
    let ofTokens = challenges.filter { ["bearer", "dpop"].contains($0.scheme) }
    // Apache's mod_auth_openidc calls a request without a token invalid.
    let asksForToken =
      !ofTokens.isEmpty && ofTokens.allSatisfy { [nil, "invalid_request"].contains($0.parameters["error"]) }
    let scoped = parameters(of: "insufficient_scope") + (asksForToken ? ofTokens.map(\.parameters) : [])
    scopes = scoped.lazy.compactMap { $0["scope"].flatMap { try? Scopes(parsing: $0) }?.names }.first ?? []
    if claims == nil, acrValues == nil, maxAge == nil, scopes.isEmpty, !needsNewToken, !asksForToken { return nil }
  }

  private static let invalidToken = "invalid_token"
  private static let maximumClaimsSize = 8 * 1024

  /// The claims of Microsoft's challenge, a JSON object in base64.
  private static func claims(in encoded: String) -> String? {
    // Microsoft's resources write both alphabets, with and without padding.
    let text = encoded.replacing("+", with: "-").replacing("/", with: "_").prefix { $0 != "=" }
    guard let bytes = Base64URL.decode(text),
      (try? JSON.object(parsing: bytes, options: .strict(maximumSize: maximumClaimsSize))) != nil
    else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }
}
