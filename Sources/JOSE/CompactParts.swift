package import Core

/// The three parts of a compact token, as text.
package struct CompactParts {
  package let header: Substring
  package let payload: Substring
  package let signature: Substring

  /// Splits a token.
  package init(_ token: Secret) throws(TokenRefusal) {
    let text = token.revealed
    guard text.utf8.count <= JSONWebSignature.maximumSize else {
      throw TokenRefusal(
        .tooLarge,
        "the ID token has \(text.utf8.count) bytes; at most \(JSONWebSignature.maximumSize) are read"
      )
    }
    // Of an array, which takes a fraction of the time of the string's own view.
    let bytes = Array(text.utf8)
    let offsets = Array(bytes.indices.lazy.filter { bytes[$0] == UInt8(ascii: ".") }.prefix(5))
    let points = offsets.map { text.utf8.index(text.startIndex, offsetBy: $0) }
    // OIDC Core 3.1.3.7 (1): a token in five parts is encrypted (RFC 7516 §7.1), which was never asked for.
    guard points.count != 4 else {
      throw TokenRefusal(.encrypted, "the ID token is encrypted; this client registers no encryption key")
    }
    guard points.count == 2 else {
      throw TokenRefusal(.malformed, "the ID token does not have three parts")
    }
    header = text[..<points[0]]
    payload = text[text.utf8.index(after: points[0])..<points[1]]
    signature = text[text.utf8.index(after: points[1])...]
  }

  /// Decodes a part; `name` is what a message calls it.
  package func decode(_ part: Substring, _ name: String) throws(TokenRefusal) -> [UInt8] {
    guard let bytes = Base64URL.decode(part) else {
      throw TokenRefusal(.malformed, "the ID token has a \(name) that is not base64url")
    }
    return bytes
  }

  /// Decodes a part that is a JSON object and names each member once, for its members are what was signed.
  package func object(_ part: Substring, _ name: String) throws(TokenRefusal) -> JSON.Object {
    try Self.object(try decode(part, name), name)
  }

  /// Reads a decoded part that is a JSON object.
  package static func object(_ bytes: [UInt8], _ name: String) throws(TokenRefusal) -> JSON.Object {
    do {
      return try JSON.object(parsing: bytes, options: .strict(maximumSize: JSONWebSignature.maximumSize))
    } catch {
      guard case .duplicateName(let member) = error.reason else {
        throw TokenRefusal(.malformed, "the ID token has a \(name) that is not a JSON object")
      }
      throw TokenRefusal(.duplicateMember, "the ID token has two members \(member.quoted) in its \(name)")
    }
  }
}
