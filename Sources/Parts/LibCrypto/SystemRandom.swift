package import MSAuthCore

package struct SystemRandom: Sendable {
  package init() {}

  package func bytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in .random(in: .min ... .max, using: &generator) }
  }
}

extension Secret {
  /// 256 bits in base64url, as for a `state`, a `nonce` or a verifier (RFC 7636 §4.1).
  package static func random() -> Secret { Secret(Base64URL.encode(SystemRandom().bytes(32))) }
}
