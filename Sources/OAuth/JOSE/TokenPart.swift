import Core

extension JSONDocument {
  /// Reads a part of a token, whose members are what was signed.
  ///
  /// - Parameters:
  ///   - part: What to call it in a message.
  ///   - bytes: The part, decoded.
  /// - Returns: The members.
  /// - Throws: `IDTokenError` when it is no JSON object, or names a member twice.
  static func members(ofToken part: String, _ bytes: [UInt8]) throws(IDTokenError) -> [String: JSONValue] {
    do throws(Fault) {
      return try members(bytes, limit: JSONWebSignature.largestByteCount)
    } catch {
      guard case .duplicateMember(let name) = error else {
        throw IDTokenError(.malformed, "the ID token's \(part) is not a JSON object")
      }
      throw IDTokenError(.duplicateMember, "the ID token's \(part) has two members \(name.quoted)")
    }
  }
}
