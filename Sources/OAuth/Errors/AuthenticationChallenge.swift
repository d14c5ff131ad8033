/// One challenge of a `WWW-Authenticate` field (RFC 9110 §11.6.1).
struct AuthenticationChallenge: Equatable {
  /// In lower case: schemes are told apart in any case of letters (RFC 9110 §11.1).
  var scheme: String
  /// Names in lower case, the first of each name.
  var parameters: [String: String] = [:]

  /// Longer fields are not read.
  private static let fieldLimit = 16 * 1024

  /// The challenges of a field.
  ///
  /// Commas stand between challenges and between the parameters of one; what follows a word tells which it is.
  static func all(in field: String) -> [AuthenticationChallenge] {
    guard field.utf8.count <= fieldLimit else { return [] }
    var challenges: [AuthenticationChallenge] = []
    var rest = field[...]
    while !rest.isEmpty {
      rest = rest.drop { $0 == "," || isSpace($0) }
      let word = rest.prefix(while: isToken)
      // A character that belongs nowhere; what comes behind it may still be of use.
      guard !word.isEmpty else {
        rest = rest.dropFirst()
        continue
      }
      rest = rest.dropFirst(word.count).drop(while: isSpace)
      guard rest.first == "=" else {
        challenges.append(AuthenticationChallenge(scheme: word.lowercased()))
        continue
      }
      rest = rest.dropFirst().drop(while: isSpace)
      let value = value(&rest)
      guard let last = challenges.indices.last, challenges[last].parameters[word.lowercased()] == nil else { continue }
      challenges[last].parameters[word.lowercased()] = value
    }
    return challenges
  }

  private static func value(_ rest: inout Substring) -> String {
    guard rest.first == "\"" else {
      let word = rest.prefix(while: isToken)
      rest = rest.dropFirst(word.count)
      return String(word)
    }
    rest = rest.dropFirst()
    var value = ""
    while let character = rest.popFirst(), character != "\"" {
      // RFC 9110 §5.6.4: a backslash stands for what follows it.
      if let literal = character == "\\" ? rest.popFirst() : character { value.append(literal) }
    }
    return value
  }

  private static func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }

  /// RFC 9110 §5.6.2, and the slash that a `token68` may have.
  private static func isToken(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~/".contains(character))
  }
}
