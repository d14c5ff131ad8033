package import LibCrypto
package import Core

/// A signed token in compact form (RFC 7515 §7.1), read strictly but not yet verified.
package struct JSONWebSignature: Sendable {
  /// The longest token read, in bytes.
  ///
  /// A token with the 200 group identifiers that Entra puts in at most has some 10 KB. Whatever is longer than this is a
  /// mistake or an attack, and is not worth decoding.
  package static let largestByteCount = 256 * 1024

  package let algorithm: SignatureAlgorithm
  /// The name of the signing key (`kid`), if the token names one.
  package let keyID: String?
  /// What the token says it is (`typ`).
  package let type: String?
  /// What is signed, decoded.
  package let payload: [UInt8]

  private let signature: [UInt8]
  private let signedText: [UInt8]

  /// Reads a token.
  ///
  /// - Parameter token: Three parts of base64url text with dots between them.
  /// - Throws: `IDTokenError` when it is not of that form, or its header asks for something that is not accepted.
  package init(parsing token: Secret) throws(IDTokenError) {
    let parts = try CompactParts(token)
    let header = try JSON.members(ofToken: "header", parts.decode(parts.header, "header"))

    // RFC 7515 §4.1.11: an extension that must be understood, and none is.
    guard header["crit"] == nil else {
      throw IDTokenError(.criticalHeader, "the ID token's header has critical extensions (crit); none is supported")
    }
    algorithm = try Self.algorithm(header["alg"])
    keyID = try Self.text("kid", in: header)
    type = try Self.text("typ", in: header)
    payload = try parts.decode(parts.payload, "payload")
    signature = try parts.decode(parts.signature, "signature")
    // RFC 7515 §5.2: the signature is over the text as it came, not over what it decodes to.
    signedText = Array(parts.header.utf8) + [UInt8(ascii: ".")] + Array(parts.payload.utf8)
  }

  /// Whether the signature was made with that key's private half.
  package func isSigned(by key: PublicKey) -> Bool {
    key.verify(signature: signature, of: signedText, with: algorithm)
  }

  private static func algorithm(_ value: JSON?) throws(IDTokenError) -> SignatureAlgorithm {
    guard let name = value?.string else {
      throw IDTokenError(.malformed, "the ID token's header names no algorithm (alg)")
    }
    if let algorithm = SignatureAlgorithm(rawValue: name) { return algorithm }
    // RFC 8725 §3.2, §3.1: unsecured tokens are what anybody can write, in whatever letters the word is spelled.
    if name.lowercased() == "none" {
      throw IDTokenError(.unsigned, "the ID token is not signed (alg \(name.quoted))")
    }
    // OIDC Core 3.1.3.7 (8): HMAC is keyed with the client secret. A public client has none, and taking the provider's
    // public key for one is the classic forgery (RFC 8725 §2.1).
    if name.uppercased().hasPrefix("HS") {
      throw IDTokenError(.symmetricAlgorithm, "the ID token is signed with a shared secret (alg \(name.quoted))")
    }
    throw IDTokenError(.algorithmUnsupported, "the ID token is signed with \(name.quoted), which is not supported")
  }

  private static func text(_ name: String, in header: JSON.Object) throws(IDTokenError) -> String? {
    guard let value = header[name] else { return nil }
    guard let text = value.string else {
      throw IDTokenError(.malformed, "the ID token's header has a \(name) that is not a string")
    }
    return text
  }
}

/// The three parts of a compact token, as text.
struct CompactParts {
  let header: Substring
  let payload: Substring
  let signature: Substring

  init(_ token: Secret) throws(IDTokenError) {
    let text = token.revealed
    guard text.utf8.count <= JSONWebSignature.largestByteCount else {
      throw IDTokenError(
        .tooLarge,
        "the ID token has \(text.utf8.count) bytes; at most \(JSONWebSignature.largestByteCount) are read"
      )
    }
    let parts = text.split(separator: ".", maxSplits: 5, omittingEmptySubsequences: false)
    // OIDC Core 3.1.3.7 (1): a token in five parts is encrypted (RFC 7516 §7.1), which was never asked for.
    guard parts.count != 5 else {
      throw IDTokenError(.encrypted, "the ID token is encrypted; this client registers no encryption key")
    }
    guard parts.count == 3 else {
      throw IDTokenError(.malformed, "the ID token does not have three parts")
    }
    (header, payload, signature) = (parts[0], parts[1], parts[2])
  }

  func decode(_ part: Substring, _ name: String) throws(IDTokenError) -> [UInt8] {
    guard let bytes = Base64URL.decode(part) else {
      throw IDTokenError(.malformed, "the ID token's \(name) is not base64url text")
    }
    return bytes
  }
}
