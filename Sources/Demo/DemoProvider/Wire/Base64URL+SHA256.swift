import MSAuthCore
import MSAuthCrypto

extension Base64URL {
  /// As in PKCE's S256 (RFC 7636 §4.2).
  static func sha256(of text: String) -> String { encode(Digest.sha256.hash(text.utf8)) }
}
