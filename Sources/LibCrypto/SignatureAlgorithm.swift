/// A digital signature algorithm of JOSE (RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864 §2.2), by its `alg` name.
///
/// There is no `none` and no HMAC: a value of this type always needs a private key to sign.
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

  /// The algorithm of a name.
  ///
  /// `Ed25519` is RFC 9864's name of EdDSA on that curve, the only one here. A provider may use one name in its metadata
  /// or its keys, and the other in its tokens.
  package init?(name: String) {
    switch name {
    case "Ed25519": self = .edDSA
    default: self.init(rawValue: name)
    }
  }

  /// The hash that goes with the algorithm.
  ///
  /// For EdDSA it is SHA-512, which Ed25519 is defined over, and which providers use for its `at_hash`.
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
