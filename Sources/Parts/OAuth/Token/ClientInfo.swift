package import MSAuthCore

/// The account that signed in, from Microsoft's `client_info`: base64url of a small JSON object.
package struct ClientInfo: Sendable, Equatable {
  private static let lengthLimit = 4 * 1024
  private static let idLimit = 256

  /// The account's name in the token cache: `uid.utid`, the account in its home tenant.
  package let homeAccountID: String

  package init(parsing text: Secret) throws(AuthenticationError) {
    guard text.revealed.utf8.count <= Self.lengthLimit,
      // Some of Microsoft's services pad it.
      let bytes = Base64URL.decode(anyAlphabet: text.revealed),
      let json = (try? JSONValue.object(parsing: bytes, options: .strict(maximumSize: Self.lengthLimit)))
    else { throw .invalidResponse("client_info isn't an encoded JSON object") }
    guard let uid = json["uid"]?.string, let utid = json["utid"]?.string, Self.isID(uid), Self.isID(utid) else {
      throw .invalidResponse("client_info lacks uid or utid")
    }
    homeAccountID = uid + "." + utid
  }

  private static func isID(_ text: String) -> Bool {
    (1...idLimit).contains(text.utf8.count) && text.utf8.allSatisfy(\.isASCIIVisible)
  }
}
