import Core

extension JSON {
  /// Reads a part of a token, whose members are what was signed.
  ///
  /// - Parameters:
  ///   - part: What to call it in a message.
  ///   - bytes: The part, decoded.
  /// - Returns: The members.
  /// - Throws: `IDTokenError` when it is no JSON object, or names a member twice.
  static func members(ofToken part: String, _ bytes: [UInt8]) throws(IDTokenError) -> JSON.Object {
    do throws(ParseError) {
      return try object(parsing: bytes, options: .strict(maximumSize: JSONWebSignature.largestByteCount))
    } catch {
      guard case .duplicateName(let name) = error.reason else {
        throw IDTokenError(.malformed, "the ID token's \(part) is not a JSON object")
      }
      throw IDTokenError(.duplicateMember, "the ID token's \(part) has two members \(name.quoted)")
    }
  }
}
