import Core

/// One challenge of a `WWW-Authenticate` field (RFC 9110 §11.6.1).
package struct AuthenticationChallenge: Equatable {
  /// The scheme in lower case: its letters' case does not count (RFC 9110 §11.1).
  package var scheme: String
  /// The parameters; names are in lower case, and the first of each name counts.
  var parameters: [String: String] = [:]

  /// The maximum size of a field, in bytes; larger ones are not read.
  private static let maximumSize = 16 * 1024

  /// The challenges of all fields of that name, in order.
  package static func all(in fields: [String]) -> [AuthenticationChallenge] { fields.flatMap { all(in: $0) } }

  /// The challenges of one field.
  ///
  /// Commas separate challenges, and the parameters of one too; what follows a word shows which it is.
  static func all(in field: String) -> [AuthenticationChallenge] {
    guard field.utf8.count <= maximumSize else { return [] }
    var challenges: [AuthenticationChallenge] = []
    var rest = Array(field.utf8)[...]
    while !rest.isEmpty {
      rest = rest.drop { $0 == UInt8(ascii: ",") || isSpace($0) }
      let word = rest.prefix(while: isToken)
      // A character that belongs nowhere; what follows it may still be of use.
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
      let word = rest.prefix(while: isToken)
      rest = rest.dropFirst(word.count)
      return String(decoding: word, as: UTF8.self)
    }
    rest = rest.dropFirst()
    var value: [UInt8] = []
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      // RFC 9110 §5.6.4: a backslash stands for what follows it.
      if let literal = byte == UInt8(ascii: "\\") ? rest.popFirst() : byte { value.append(literal) }
    }
    return String(decoding: value, as: UTF8.self)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// A token's, and the slash that a `token68` may have.
  private static func isToken(_ byte: UInt8) -> Bool {
    byte.isHTTPTokenCharacter || byte == UInt8(ascii: "/")
  }
}
