package import LibCrypto
package import Core

// A key as JSON, with the members that make it up and no others (RFC 7638 §3.2, RFC 8037 §2).
extension PublicKey {
  /// The JSON Web Key; it has no private member.
  package var webKey: JSON {
    func text(_ number: [UInt8]) -> JSON { .string(Base64URL.encode(number)) }
    return switch components {
    case .rsa(let modulus, let exponent): ["kty": "RSA", "n": text(modulus), "e": text(exponent)]
    case .ellipticCurve(let curve, let x, let y):
      ["kty": "EC", "crv": .string(curve.rawValue), "x": text(x), "y": text(y)]
    case .ed25519(let x): ["kty": "OKP", "crv": "Ed25519", "x": text(x)]
    }
  }

  /// The key's name that everybody derives alike: the SHA-256 of its JSON in one canonical form (RFC 7638 §3).
  ///
  /// Members in the order of their names and no white space is what ``JSON/serialized(_:)`` writes.
  package var thumbprint: String { Base64URL.encode(Digest.sha256.hash(webKey.serialized())) }
}
