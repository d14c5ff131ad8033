import Core

/// What a resource demands of the next token.
package struct ClaimsChallenge: Sendable, Equatable {
  /// A JSON object for `claims` (Microsoft's Continuous Access Evaluation).
  package let claims: String?
  /// The authentication contexts that would do (RFC 9470 §3).
  package let acrValues: String?
  /// How many seconds ago the person may have signed in at most (RFC 9470 §3).
  package let maxAge: Int64?

  /// Reads the challenge of a 401's `WWW-Authenticate` field (RFC 6750 §3); nil when another token would be no better.
  ///
  /// - Parameter field: The field's value.
  package init?(wwwAuthenticate field: String) {
    claims = Self.claims(inWWWAuthenticate: field)
    let parameters = field.utf8.count <= Self.fieldLimit ? Self.parameters(of: field) : [:]
    if parameters["error"] == "insufficient_user_authentication" {
      // Written into a parameter of our own request: nothing but what can stand there.
      acrValues = parameters["acr_values"].flatMap { values in
        values.utf8.count <= 1024 && values.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) ? values : nil
      }
      maxAge = parameters["max_age"].flatMap(Lifetime.seconds)
    } else {
      (acrValues, maxAge) = (nil, nil)
    }
    if claims == nil, acrValues == nil, maxAge == nil { return nil }
  }

  private static let fieldLimit = 16 * 1024
  private static let claimsLimit = 8 * 1024

  /// Reads the claims of a 401's `WWW-Authenticate` field (RFC 6750 §3).
  ///
  /// - Parameter field: The field's value.
  /// - Returns: A JSON object for `claims` of the next request, or nil when the field has no such challenge.
  package static func claims(inWWWAuthenticate field: String) -> String? {
    guard field.utf8.count <= fieldLimit else { return nil }
    let parameters = parameters(of: field)
    guard parameters["error"] == "insufficient_claims", let encoded = parameters["claims"] else { return nil }
    // Microsoft's resources write both alphabets, with and without padding.
    let text = encoded.replacing("+", with: "-").replacing("/", with: "_").prefix { $0 != "=" }
    guard let bytes = Base64URL.decode(text),
      (try? JSON.object(parsing: bytes, options: .strict(maximumSize: claimsLimit))) != nil
    else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The `name="value"` pairs of all challenges in the field; names in lower case, the first of each name.
  private static func parameters(of field: String) -> [String: String] {
    var parameters: [String: String] = [:]
    var rest = field[...]
    while let equals = rest.firstIndex(of: "=") {
      let name = rest[..<equals].reversed().prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }.reversed()
      rest = rest[rest.index(after: equals)...]
      var value = ""
      if rest.first == "\"" {
        rest = rest.dropFirst()
        while let character = rest.popFirst(), character != "\"" {
          // RFC 9110 §5.6.4: a backslash stands for what follows it.
          if let literal = character == "\\" ? rest.popFirst() : character { value.append(literal) }
        }
      } else {
        value = String(rest.prefix { $0 != "," && $0 != " " })
        rest = rest.dropFirst(value.count)
      }
      let key = String(name).lowercased()
      if !key.isEmpty, parameters[key] == nil { parameters[key] = value }
    }
    return parameters
  }
}
