import LibCrypto
import Core

/// The provider's signing keys.
struct SigningKeys: Sendable {
  /// A key with its `kid`.
  struct NamedKey: Sendable {
    var id: String
    var key: SigningKey
  }

  let algorithm: SignatureAlgorithm
  private(set) var current: NamedKey
  /// Published beside the current one, and never used to sign.
  private(set) var others: [NamedKey] = []

  init(_ algorithm: SignatureAlgorithm) throws(CryptoError) {
    self.algorithm = algorithm
    current = try Self.generate(algorithm)
  }

  /// Replaces the current key.
  mutating func rotate() throws(CryptoError) { current = try Self.generate(algorithm) }

  /// Publishes one more key of the same kind, if there is none.
  mutating func addOther() throws(CryptoError) {
    if others.isEmpty { others.append(try Self.generate(algorithm)) }
  }

  /// The published set (RFC 7517 §5).
  var published: JSON {
    ["keys": .array((others + [current]).map { Self.webKey($0, algorithm) })]
  }

  /// The base64url SHA-256 of a string, as PKCE's S256 (RFC 7636 §4.2).
  static func sha256(_ text: String) -> String { Base64URL.encode(Digest.sha256.hash(text.utf8)) }

  /// The value of `at_hash` for an access token (OpenID Connect Core §3.1.3.6).
  func halfHash(_ token: String) -> String {
    let hash = algorithm.digest.hash(token.utf8)
    return Base64URL.encode(hash.prefix(hash.count / 2))
  }

  private static func generate(_ algorithm: SignatureAlgorithm) throws(CryptoError) -> NamedKey {
    let kind: SigningKey.Kind =
      switch algorithm {
      case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: .rsa2048
      case .es256: .p256
      case .es384: .p384
      case .es512: .p521
      case .edDSA: .ed25519
      }
    return NamedKey(id: RandomString.guid(), key: try .generate(kind))
  }

  private static func webKey(_ named: NamedKey, _ algorithm: SignatureAlgorithm) -> JSON {
    var members: JSON.Object = [
      "kid": .string(named.id),
      "use": "sig",
      "alg": .string(algorithm.rawValue),
    ]
    switch named.key.publicKey.components {
    case .rsa(let modulus, let exponent):
      members["kty"] = "RSA"
      members["n"] = .string(Base64URL.encode(modulus))
      members["e"] = .string(Base64URL.encode(exponent))
    case .ellipticCurve(let curve, let x, let y):
      members["kty"] = "EC"
      members["crv"] = .string(curve.rawValue)
      members["x"] = .string(Base64URL.encode(x))
      members["y"] = .string(Base64URL.encode(y))
    case .ed25519(let x):
      members["kty"] = "OKP"
      members["crv"] = "Ed25519"
      members["x"] = .string(Base64URL.encode(x))
    }
    return .object(members)
  }
}
