package import MSAuthCore
package import MSAuthCrypto

/// A signed token in compact form (RFC 7515 §7.1), parsed but not verified.
package struct JSONWebSignature: Sendable {
  /// The maximum size of a token, in bytes; Entra includes at most 200 group IDs, which make about 10 KB.
  static let maximumSize = 256 * 1024

  package let algorithm: SignatureAlgorithm
  /// The name of the signing key (`kid`).
  package let keyID: String?
  /// The token's declared type (`typ`).
  package let type: String?
  let payload: [UInt8]

  private let signature: [UInt8]
  private let signedText: [UInt8]

  package init(parsing token: Secret) throws(TokenRejection) {
    let parts = try CompactParts(token)
    let header = try parts.object(parts.header, "header")

    // RFC 7515 §4.1.11: a token with an extension that isn't supported must be rejected.
    guard header["crit"] == nil else {
      throw TokenRejection(.criticalHeader, "the ID token requires extensions (crit) that aren't supported")
    }
    algorithm = try Self.algorithm(header["alg"])
    // Only a hint: without a usable key ID, every key is tried.
    keyID = header["kid"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    type = header["typ"]?.string
    payload = try parts.decode(parts.payload, "payload")
    signature = try parts.decode(parts.signature, "signature")
    // RFC 7515 §5.2: the signature covers the encoded text.
    signedText = Array(parts.header.utf8) + [UInt8(ascii: ".")] + Array(parts.payload.utf8)
  }

  package static func unverifiedPayload(of token: Secret) throws(TokenRejection) -> JSONValue.Object {
    let parts = try CompactParts(token)
    return try parts.object(parts.payload, "payload")
  }

  package static func sign(
    _ payload: [UInt8],
    header: [UInt8],
    key: SigningKey,
    algorithm: SignatureAlgorithm
  ) throws(AuthenticationError) -> String {
    let signed = Base64URL.encode(header) + "." + Base64URL.encode(payload)
    return signed + "." + Base64URL.encode(try key.sign(signed.utf8, with: algorithm))
  }

  package func isSigned(by key: PublicKey) -> Bool {
    key.verify(signature: signature, of: signedText, with: algorithm)
  }

  private static func algorithm(_ value: JSONValue?) throws(TokenRejection) -> SignatureAlgorithm {
    guard let name = value?.string else {
      throw TokenRejection(.malformed, "the ID token's header doesn't name an algorithm (alg)")
    }
    if let algorithm = SignatureAlgorithm(name: name) { return algorithm }
    // RFC 8725 §3.2, §3.1: anyone can create an unsecured token; the word may be in any case.
    if name.lowercased() == "none" {
      throw TokenRejection(.unsigned, "the ID token isn't signed (alg \(name.quoted))")
    }
    // OpenID Connect Core §3.1.3.7 (8): HMAC uses the client secret, which a public client doesn't have; a verifier that uses
    // the provider's public key instead accepts forgeries (RFC 8725 §2.1).
    if name.uppercased().hasPrefix("HS") {
      throw TokenRejection(.symmetricAlgorithm, "the ID token is signed with a shared secret (alg \(name.quoted))")
    }
    throw TokenRejection(.algorithmUnsupported, "the ID token is signed with \(name.quoted), which isn't supported")
  }
}

private struct CompactParts {
  let header: Substring
  let payload: Substring
  let signature: Substring

  init(_ token: Secret) throws(TokenRejection) {
    let text = token.revealed
    let (size, limit) = (text.utf8.count, JSONWebSignature.maximumSize)
    guard size <= limit else {
      throw TokenRejection(.tooLarge, "the ID token has \(size) bytes; the limit is \(limit)")
    }
    let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 5, omittingEmptySubsequences: false)
    // OpenID Connect Core §3.1.3.7 (1): a token in five parts is encrypted (RFC 7516 §7.1), which was never requested.
    guard parts.count != 5 else {
      throw TokenRejection(.encrypted, "the ID token is encrypted; this client registers no encryption key")
    }
    guard parts.count == 3 else { throw TokenRejection(.malformed, "the ID token doesn't have three parts") }
    (header, payload, signature) = (Substring(parts[0]), Substring(parts[1]), Substring(parts[2]))
  }

  /// Decodes a part; `name` is for a message.
  func decode(_ part: Substring, _ name: String) throws(TokenRejection) -> [UInt8] {
    guard let bytes = Base64URL.decode(part) else {
      throw TokenRejection(.malformed, "the ID token has a \(name) that isn't base64url")
    }
    return bytes
  }

  /// Decodes a part that is a JSON object without duplicate members.
  func object(_ part: Substring, _ name: String) throws(TokenRejection) -> JSONValue.Object {
    let bytes = try decode(part, name)
    do {
      return try JSONValue.object(parsing: bytes, options: .strict(maximumSize: JSONWebSignature.maximumSize))
    } catch {
      guard case .duplicateName(let member) = error.reason else {
        throw TokenRejection(.malformed, "the ID token has a \(name) that isn't a JSON object")
      }
      throw TokenRejection(.duplicateMember, "the ID token has two members \(member.quoted) in its \(name)")
    }
  }
}
