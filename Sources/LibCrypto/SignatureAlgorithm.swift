/// A digital signature algorithm of JOSE (RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864 §2.2), never `none` or an HMAC.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
  case rs256 = "RS256"
  case rs384 = "RS384"
  case rs512 = "RS512"
  case ps256 = "PS256"
  case ps384 = "PS384"
  case ps512 = "PS512"
  case es256 = "ES256"
  case es384 = "ES384"
  case es512 = "ES512"
  /// Ed25519 alone; Ed448 is not supported.
  case edDSA = "EdDSA"

  /// An algorithm by its `alg` name; a provider may mix `EdDSA` with RFC 9864's name for it, `Ed25519`.
  package init?(name: String) { self.init(rawValue: name == "Ed25519" ? Self.edDSA.rawValue : name) }

  /// The algorithm's hash; for EdDSA SHA-512, which providers use for its `at_hash`.
  package var digest: Digest {
    switch self {
    case .rs256, .ps256, .es256: .sha256
    case .rs384, .ps384, .es384: .sha384
    case .rs512, .ps512, .es512, .edDSA: .sha512
    }
  }

  enum Scheme {
    case pkcs1, pss
    case ecdsa(EllipticCurve)
    case ed25519
  }

  var scheme: Scheme {
    switch self {
    case .rs256, .rs384, .rs512: .pkcs1
    case .ps256, .ps384, .ps512: .pss
    case .es256: .ecdsa(.p256)
    case .es384: .ecdsa(.p384)
    case .es512: .ecdsa(.p521)
    case .edDSA: .ed25519
    }
  }
}
