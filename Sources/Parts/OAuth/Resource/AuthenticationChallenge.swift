import MSAuthCore

/// One challenge of a `WWW-Authenticate` field (RFC 9110 §11.6.1).
package struct AuthenticationChallenge: Equatable {
  /// In lowercase, since schemes are case-insensitive (RFC 9110 §11.1).
  package var scheme: String
  /// Names are in lowercase; the first of each name is kept.
  var parameters: [String: String] = [:]

  /// Whether an access token meets it (RFC 6750, RFC 9449).
  var isForToken: Bool { ["bearer", "dpop"].contains(scheme) }

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
  private static func isToken(_ byte: UInt8) -> Bool { byte.isHTTPTokenCharacter || byte == UInt8(ascii: "/") }
}

extension Scopes {
  /// The first valid scopes in the parameters of some challenges (RFC 6750 §3).
  static func first(in parameters: [[String: String]]) -> [String] {
    parameters.firstNonNil { $0["scope"].flatMap { try? Scopes(parsing: $0) }?.names } ?? []
  }
}
