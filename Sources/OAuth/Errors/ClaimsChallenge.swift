import Core

/// What a resource demands of the next token.
package struct ClaimsChallenge: Sendable, Equatable {
  /// A JSON object for `claims` (Microsoft's Continuous Access Evaluation).
  package let claims: String?
  /// The authentication contexts that would do (RFC 9470 §3).
  package let acrValues: String?
  /// The maximum age of the sign-in, in seconds (RFC 9470 §3).
  package let maxAge: Int64?
  /// The scopes that the token lacks (RFC 6750 §3.1, `insufficient_scope`); empty if the resource does not say.
  package let scopes: [String]

  /// Reads the challenges of a 401 or 403; nil if another token would be no better.
  ///
  /// Each challenge counts for itself (RFC 9110 §11.6.1): an error of one says nothing about the parameters of another.
  ///
  /// - Parameter fields: The values of all `WWW-Authenticate` fields.
  package init?(wwwAuthenticate fields: [String]) {
    let challenges = AuthenticationChallenge.all(in: fields)
    claims = challenges.lazy.compactMap(Self.claims).first
    let stepUp = challenges.first { $0.parameters["error"] == "insufficient_user_authentication" }?.parameters
    // These are written into parameters of our own request: nothing but what can stand there.
    acrValues = stepUp?["acr_values"].flatMap { values in
      values.utf8.count <= 1024 && values.utf8.allSatisfy({ $0 == 0x20 || $0.isASCIIVisible }) ? values : nil
    }
    maxAge = stepUp?["max_age"].flatMap(Lifetime.seconds)
    let scope = challenges.first { $0.parameters["error"] == "insufficient_scope" }?.parameters["scope"]
    scopes = scope.flatMap { try? Scopes(parsing: $0) }?.names ?? []
    if claims == nil, acrValues == nil, maxAge == nil, scopes.isEmpty { return nil }
  }

  private static let maximumClaimsSize = 8 * 1024

  /// The claims of Microsoft's challenge, a JSON object in base64.
  private static func claims(in challenge: AuthenticationChallenge) -> String? {
    guard challenge.parameters["error"] == "insufficient_claims", let encoded = challenge.parameters["claims"] else {
      return nil
    }
    // Microsoft's resources write both alphabets, with and without padding.
    let text = encoded.replacing("+", with: "-").replacing("/", with: "_").prefix { $0 != "=" }
    guard let bytes = Base64URL.decode(text),
      (try? JSON.object(parsing: bytes, options: .strict(maximumSize: maximumClaimsSize))) != nil
    else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }
}
