package import MSAuthCore
package import MSAuthCrypto

extension PublicKey {
  /// The required members of the JSON Web Key and no others (RFC 7638 §3.2, RFC 8037 §2).
  package var webKey: JSONValue.Object {
    func encode(_ number: [UInt8]) -> JSONValue { .string(Base64URL.encode(number)) }
    return switch components {
    case .rsa(let modulus, let exponent): ["kty": "RSA", "n": encode(modulus), "e": encode(exponent)]
    case .ellipticCurve(let curve, let x, let y):
      ["kty": "EC", "crv": .string(curve.rawValue), "x": encode(x), "y": encode(y)]
    case .ed25519(let x): ["kty": "OKP", "crv": "Ed25519", "x": encode(x)]
    }
  }

  /// The SHA-256 thumbprint (RFC 7638 §3), over the members sorted by name, without spaces.
  package var thumbprint: String { Base64URL.encode(Digest.sha256.hash(JSONValue.object(webKey).serialized())) }
}

extension SignatureAlgorithm {
  /// The hash of a token as in `at_hash`: the left half (OpenID Connect Core §3.1.3.6).
  package func leftHalfHash(of token: Secret) -> String {
    let hash = digest.hash(token.revealed.utf8)
    return Base64URL.encode(hash.prefix(hash.count / 2))
  }
}
