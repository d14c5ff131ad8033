package import MSAuthCore

/// The three parts of a compact token, as text.
package struct CompactParts {
  package let header: Substring
  package let payload: Substring
  package let signature: Substring

  package init(_ token: Secret) throws(TokenRefusal) {
    let text = token.revealed
    let (size, limit) = (text.utf8.count, JSONWebSignature.maximumSize)
    guard size <= limit else {
      throw TokenRefusal(.tooLarge, "the ID token has \(size) bytes; the limit is \(limit)")
    }
    let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 5, omittingEmptySubsequences: false)
    // OIDC Core 3.1.3.7 (1): a token in five parts is encrypted (RFC 7516 §7.1), which was never requested.
    guard parts.count != 5 else {
      throw TokenRefusal(.encrypted, "the ID token is encrypted; this client registers no encryption key")
    }
    guard parts.count == 3 else { throw TokenRefusal(.malformed, "the ID token does not have three parts") }
    (header, payload, signature) = (Substring(parts[0]), Substring(parts[1]), Substring(parts[2]))
  }

  /// Decodes a part; `name` is for a message.
  package func decode(_ part: Substring, _ name: String) throws(TokenRefusal) -> [UInt8] {
    guard let bytes = Base64URL.decode(part) else {
      throw TokenRefusal(.malformed, "the ID token has a \(name) that is not base64url")
    }
    return bytes
  }

  /// Decodes a part that is a JSON object without duplicate members.
  package func object(_ part: Substring, _ name: String) throws(TokenRefusal) -> JSONValue.Object {
    try Self.object(try decode(part, name), name)
  }

  /// Reads a decoded part that is a JSON object without duplicate members.
  package static func object(_ bytes: [UInt8], _ name: String) throws(TokenRefusal) -> JSONValue.Object {
    do {
      return try JSONValue.object(parsing: bytes, options: .strict(maximumSize: JSONWebSignature.maximumSize))
    } catch {
      guard case .duplicateName(let member) = error.reason else {
        throw TokenRefusal(.malformed, "the ID token has a \(name) that is not a JSON object")
      }
      throw TokenRefusal(.duplicateMember, "the ID token has two members \(member.quoted) in its \(name)")
    }
  }
}
