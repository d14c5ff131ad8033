package import LibCrypto
package import Core

/// A signed token in compact form (RFC 7515 §7.1), read strictly but not yet verified.
package struct JSONWebSignature: Sendable {
  /// The maximum size of a token, in bytes.
  ///
  /// A token with the 200 group identifiers that Entra puts in at most has some 10 KB. Whatever is longer than this is a
  /// mistake or an attack, and is not worth decoding.
  package static let maximumSize = 256 * 1024

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
  package init(parsing token: Secret) throws(TokenRefusal) {
    try self.init(try CompactParts(token))
  }

  /// Reads a token that was split into its parts.
  package init(_ parts: CompactParts, payload: [UInt8]? = nil) throws(TokenRefusal) {
    let header = try parts.object(parts.header, "header")

    // RFC 7515 §4.1.11: an extension that must be understood, and none is.
    guard header["crit"] == nil else {
      throw TokenRefusal(
        .criticalHeader,
        "the ID token has critical extensions (crit) in its header; none is supported"
      )
    }
    algorithm = try Self.algorithm(header["alg"])
    keyID = try Self.text("kid", in: header)
    type = try Self.text("typ", in: header)
    self.payload = if let payload { payload } else { try parts.decode(parts.payload, "payload") }
    signature = try parts.decode(parts.signature, "signature")
    // RFC 7515 §5.2: the signature is over the text as it came, not over what it decodes to.
    signedText = Array(parts.header.utf8) + [UInt8(ascii: ".")] + Array(parts.payload.utf8)
  }

  /// Signs a token.
  package static func sign(
    _ payload: [UInt8],
    header: [UInt8],
    key: SigningKey,
    algorithm: SignatureAlgorithm
  ) throws(Failure) -> String {
    let signed = Base64URL.encode(header) + "." + Base64URL.encode(payload)
    return signed + "." + Base64URL.encode(try key.sign(signed.utf8, with: algorithm))
  }

  /// Whether the signature was made with that key's private half.
  package func isSigned(by key: PublicKey) -> Bool {
    key.verify(signature: signature, of: signedText, with: algorithm)
  }

  private static func algorithm(_ value: JSON?) throws(TokenRefusal) -> SignatureAlgorithm {
    guard let name = value?.string else {
      throw TokenRefusal(.malformed, "the ID token has a header that names no algorithm (alg)")
    }
    if let algorithm = SignatureAlgorithm(name: name) { return algorithm }
    // RFC 8725 §3.2, §3.1: unsecured tokens are what anybody can write, in whatever letters the word is spelled.
    if name.lowercased() == "none" {
      throw TokenRefusal(.unsigned, "the ID token is not signed (alg \(name.quoted))")
    }
    // OIDC Core 3.1.3.7 (8): HMAC is keyed with the client secret. A public client has none, and taking the provider's
    // public key for one is the classic forgery (RFC 8725 §2.1).
    if name.uppercased().hasPrefix("HS") {
      throw TokenRefusal(.symmetricAlgorithm, "the ID token is signed with a shared secret (alg \(name.quoted))")
    }
    throw TokenRefusal(.algorithmUnsupported, "the ID token is signed with \(name.quoted), which is not supported")
  }

  private static func text(_ name: String, in header: JSON.Object) throws(TokenRefusal) -> String? {
    guard let value = header[name] else { return nil }
    guard let text = value.string else {
      throw TokenRefusal(.malformed, "the ID token has a \(name) in its header that is not a string")
    }
    return text
  }
}
