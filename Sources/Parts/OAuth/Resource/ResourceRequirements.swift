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

  /// Reads the value of one `WWW-Authenticate` field; nil if no token could meet its requirements.
  public init?(wwwAuthenticate field: String) { self.init(wwwAuthenticate: [field]) }

  /// Reads the values of all `WWW-Authenticate` fields of a 401 or 403; nil if no token could meet their requirements.
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
    // These become parameters of a request.
    let stepUp = parameters(of: "insufficient_user_authentication")
    acrValues = stepUp.lazy.compactMap { $0["acr_values"] }.first { values in
      values.utf8.count <= 1024 && values.utf8.allSatisfy { $0 == 0x20 || $0.isASCIIVisible }
    }
    maxAge = stepUp.firstNonNil { $0["max_age"].flatMap(Lifetime.seconds) }.map { .seconds($0) }
    let tokenChallenges = challenges.filter { ["bearer", "dpop"].contains($0.scheme) }
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

  /// The requirements that neither more scopes nor just another token meet; nil if there are none.
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

/// One challenge of a `WWW-Authenticate` field (RFC 9110 §11.6.1).
package struct AuthenticationChallenge: Equatable {
  /// In lowercase, since case doesn't count (RFC 9110 §11.1).
  package var scheme: String
  /// Names are in lowercase; the first of each name counts.
  var parameters: [String: String] = [:]

  /// Larger fields are ignored.
  private static let maximumSize = 16 * 1024

  package static func all(in fields: [String]) -> [AuthenticationChallenge] { fields.flatMap { all(in: $0) } }

  // Commas separate challenges and also their parameters; what follows a word shows which it is.
  static func all(in field: String) -> [AuthenticationChallenge] {
    guard field.utf8.count <= maximumSize else { return [] }
    var challenges: [AuthenticationChallenge] = []
    var rest = Array(field.utf8)[...]
    while !rest.isEmpty {
      rest = rest.drop { $0 == UInt8(ascii: ",") || isSpace($0) }
      let word = rest.prefix(while: isToken)
      // An invalid character; the rest may still be valid.
      guard !word.isEmpty else {
        rest = rest.dropFirst()
        continue
      }
      let name = String(decoding: word.map(\.asciiLowercased), as: UTF8.self)
      rest = rest.dropFirst(word.count).drop(while: isSpace)
      guard rest.first == UInt8(ascii: "=") else {
        challenges.append(AuthenticationChallenge(scheme: name))
        continue
      }
      rest = rest.dropFirst().drop(while: isSpace)
      let value = value(&rest)
      guard let last = challenges.indices.last, challenges[last].parameters[name] == nil else { continue }
      challenges[last].parameters[name] = value
    }
    return challenges
  }

  private static func value(_ rest: inout ArraySlice<UInt8>) -> String {
    guard rest.first == UInt8(ascii: "\"") else {
      // Some servers don't quote URLs.
      let word = rest.first == UInt8(ascii: "=") ? [] : rest.prefix { $0 != UInt8(ascii: ",") && !isSpace($0) }
      rest = rest.dropFirst(word.count)
      return String(decoding: word, as: UTF8.self)
    }
    rest = rest.dropFirst()
    var value: [UInt8] = []
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      // RFC 9110 §5.6.4: a backslash escapes the next byte.
      if let literal = byte == UInt8(ascii: "\\") ? rest.popFirst() : byte { value.append(literal) }
    }
    return String(decoding: value, as: UTF8.self)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Also the slash of a `token68`.
  private static func isToken(_ byte: UInt8) -> Bool {
    byte.isHTTPTokenCharacter || byte == UInt8(ascii: "/")
  }
}

extension Scopes {
  /// The first valid scopes in the parameters of some challenges (RFC 6750 §3).
  static func first(in parameters: [[String: String]]) -> [String] {
    parameters.firstNonNil { $0["scope"].flatMap { try? Scopes(parsing: $0) }?.names } ?? []
  }
}
