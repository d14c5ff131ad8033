package import LibCrypto
package import Core

extension PublicKey {
  /// The members of the JSON Web Key that make it up and no others; none is private (RFC 7638 §3.2, RFC 8037 §2).
  package var webKey: JSON.Object {
    func encode(_ number: [UInt8]) -> JSON { .string(Base64URL.encode(number)) }
    return switch components {
    case .rsa(let modulus, let exponent): ["kty": "RSA", "n": encode(modulus), "e": encode(exponent)]
    case .ellipticCurve(let curve, let x, let y):
      ["kty": "EC", "crv": .string(curve.rawValue), "x": encode(x), "y": encode(y)]
    case .ed25519(let x): ["kty": "OKP", "crv": "Ed25519", "x": encode(x)]
    }
  }

  /// The key's SHA-256 thumbprint (RFC 7638 §3), over the members in the order of their names without spaces.
  package var thumbprint: String { Base64URL.encode(Digest.sha256.hash(JSON.object(webKey).serialized())) }
}

extension SignatureAlgorithm {
  /// The hash of a token that an ID token names in `at_hash`: the left half (OpenID Connect Core §3.1.3.6).
  package func leftHalfHash(of token: Secret) -> String {
    let hash = digest.hash(token.revealed.utf8)
    return Base64URL.encode(hash.prefix(hash.count / 2))
  }

  /// The kind of key to generate for the algorithm.
  package var keyKind: SigningKey.Kind {
    switch self {
    case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: .rsa2048
    case .es256: .p256
    case .es384: .p384
    case .es512: .p521
    case .edDSA: .ed25519
    }
  }
}
