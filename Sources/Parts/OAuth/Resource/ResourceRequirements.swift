import MSAuthCore

/// A resource's requirements for the next token: claims (Microsoft's Continuous Access Evaluation), a newer or stronger
/// sign-in (RFC 9470), scopes, or just another token (RFC 6750 §3.1).
public struct ResourceRequirements: Sendable, Hashable {
  /// A claims request as JSON; a silent request may satisfy it.
  public var claims: String?
  /// The acceptable authentication contexts, which require a sign-in (RFC 9470 §3).
  public var acrValues: String?
  /// The maximum age of the sign-in, which requires a new one (RFC 9470 §3).
  public var maxAge: Duration?
  /// The scopes that the token must have (RFC 6750 §3); empty if the resource names none.
  ///
  /// The resource chooses them. Request only those that your application expects.
  public var scopes: [String] = []
  /// Whether the resource rejected the token itself as expired or revoked (RFC 6750 §3.1).
  ///
  /// It returned `invalid_token`, or no error although a token was sent. The stored access token is then not used.
  public var needsNewToken = false

  /// Creates requirements from a claims request, as JSON.
  public init(claims: String) { self.claims = claims }

  /// Reads the value of one `WWW-Authenticate` field; `nil` if no token could meet its requirements.
  public init?(wwwAuthenticate field: String) { self.init(wwwAuthenticate: [field]) }

  /// Reads the values of all `WWW-Authenticate` fields of a 401 or 403; `nil` if no token could meet their requirements.
  ///
  /// The requirements are empty if the request had no token: a stored one is enough.
  ///
  /// - Parameters:
  ///   - fields: The fields' values, each with one or more challenges.
  ///   - sentToken: Whether they are those of a 401 for a request with a token, which is then rejected even without an error.
  public init?(wwwAuthenticate fields: [String], sentToken: Bool = false) {
    self.init(AuthenticationChallenge.all(in: fields), sentToken: sentToken)
  }

  package init?(_ challenges: [AuthenticationChallenge], sentToken: Bool = false) {
    // An error concerns only the parameters of its challenge (RFC 9110 §11.6.1).
    func parameters(of error: String) -> [[String: String]] {
      // Azure Resource Manager sends claims with invalid_token too.
      challenges.map(\.parameters).filter { $0["error"] == error || $0["error"] == Self.invalidToken }
    }
    claims = parameters(of: "insufficient_claims").firstNonNil { $0["claims"].flatMap(Self.claims) }
    // Invalid values are ignored, since these become parameters of a request.
    let stepUp = parameters(of: "insufficient_user_authentication")
    acrValues = stepUp.lazy.compactMap { $0["acr_values"] }.first { values in
      values.utf8.count <= 1024 && values.utf8.allSatisfy { $0 == 0x20 || $0.isASCIIVisible }
    }
    maxAge = stepUp.firstNonNil { $0["max_age"].flatMap(Lifetime.seconds) }.map { .seconds($0) }
    let tokenChallenges = challenges.filter(\.isForToken)
    // Without an error, no token was sent (RFC 6750 §3.1); Apache's mod_auth_openidc calls that an invalid request. Microsoft
    // Graph sends no error for an expired token either.
    let requiresToken =
      !tokenChallenges.isEmpty
      && tokenChallenges.allSatisfy { [nil, "invalid_request"].contains($0.parameters["error"]) }
    needsNewToken =
      sentToken && requiresToken || challenges.contains { $0.parameters["error"] == Self.invalidToken }
    scopes = Scopes.first(
      in: parameters(of: "insufficient_scope") + (requiresToken ? tokenChallenges.map(\.parameters) : [])
    )
    if isEmpty, !requiresToken { return nil }
  }

  /// The requirements that neither more scopes nor just another token meet; `nil` if there are none.
  var beyondScopes: ResourceRequirements? {
    var rest = self
    (rest.scopes, rest.needsNewToken) = ([], false)
    return rest.isEmpty ? nil : rest
  }

  /// Whether only a sign-in can meet them.
  public var needsSignIn: Bool { acrValues != nil || maxAge != nil }

  /// Whether any token of the account meets them.
  public var isEmpty: Bool { claims == nil && !needsSignIn && scopes.isEmpty && !needsNewToken }

  private static let invalidToken = "invalid_token"

  private static func claims(in encoded: String) -> String? {
    // Microsoft's resources use both alphabets, with and without padding.
    Base64URL.decode(anyAlphabet: encoded).flatMap { String(validating: $0, as: UTF8.self) }
      .flatMap(ClaimsParameter.usable)
  }
}
