package import MSAuthCore
package import MSAuthCrypto

/// A provider's public key for signatures (RFC 7517, RFC 7518 §6, RFC 8037 §2).
package struct JSONWebKey: Sendable {
  /// The key's name (`kid`).
  let keyID: String?
  /// The only algorithm that the key may be used with (`alg`).
  let algorithm: SignatureAlgorithm?
  /// The issuer whose tokens the key may sign, an extension of Entra's; it contains `{tenantid}` in most keys.
  package let issuer: String?
  package let publicKey: PublicKey

  /// Reads a key; `nil` if it can't verify signatures here.
  package init?(_ json: JSONValue) {
    // Some providers write absent members as null or empty.
    guard let members = json.object?.filter({ $0.value != .null && $0.value != "" }), Self.isForVerifying(members),
      let publicKey = Self.publicKey(members)
    else {
      return nil
    }
    self.publicKey = publicKey
    let name = members["alg"]?.string
    algorithm = name.flatMap(SignatureAlgorithm.init(name:))
    keyID = members["kid"]?.string
    // An invalid issuer becomes one that nothing matches: without an issuer, the key could sign every issuer's tokens.
    issuer = members["issuer"].map { $0.string ?? "" }
    // RFC 8725 §3.1: a key is used only with the algorithm that it was made for.
    guard name == nil || algorithm.map(publicKey.suits) == true else { return nil }
  }

  /// Whether the key verifies signatures of that algorithm.
  package func suits(_ algorithm: SignatureAlgorithm) -> Bool {
    publicKey.suits(algorithm) && (self.algorithm ?? algorithm) == algorithm
  }

  /// RFC 7517 §4.2 and §4.3.
  private static func isForVerifying(_ members: JSONValue.Object) -> Bool {
    let operations = members["key_ops"]?.array?.compactMap(\.string) ?? []
    return [nil, "sig"].contains(members["use"]?.string) && (operations.isEmpty || operations.contains("verify"))
  }

  private static func publicKey(_ members: JSONValue.Object) -> PublicKey? {
    // Some providers use the standard alphabet, with padding.
    func bytes(_ name: String) -> [UInt8] { members[name]?.string.flatMap(Base64URL.decode(anyAlphabet:)) ?? [] }
    switch (members["kty"]?.string, members["crv"]?.string) {
    case ("RSA", _): return try? .rsa(modulus: bytes("n"), exponent: bytes("e"))
    case ("EC", let curve?):
      return EllipticCurve(rawValue: curve).flatMap { try? .ellipticCurve($0, x: bytes("x"), y: bytes("y")) }
    case ("OKP", "Ed25519"): return try? .ed25519(x: bytes("x"))
    default: return nil
    }
  }
}

/// A provider's public keys (RFC 7517 §5), as its `jwks_uri` serves them.
package struct JSONWebKeySet: Sendable {
  /// The maximum size of the document, in bytes; Entra's has about 20 KB, since it includes certificates.
  static let maximumSize = 1024 * 1024
  /// Limits the work for a token without a key ID, which is verified with each key; Entra publishes about ten.
  static let maximumCount = 100

  /// The keys that can verify signatures here; the others are left out (RFC 7517 §5).
  let keys: [JSONWebKey]

  package static let empty = JSONWebKeySet(keys: [])

  private init(keys: [JSONWebKey]) { self.keys = keys }

  package init(parsing bytes: some Collection<UInt8>) throws(TokenRejection) {
    guard bytes.count <= Self.maximumSize else {
      throw TokenRejection(.keySetTooLarge, "the key set has \(bytes.count) bytes; the limit is \(Self.maximumSize)")
    }
    let document = try? JSONValue.object(parsing: Array(bytes), options: .strict(maximumSize: Self.maximumSize))
    guard let listed = document?["keys"]?.array else {
      throw TokenRejection(.keySetMalformed, "the key set isn't a JSON object with an array of keys")
    }
    guard listed.count <= Self.maximumCount else {
      throw TokenRejection(.keySetTooLarge, "the key set has \(listed.count) keys; the limit is \(Self.maximumCount)")
    }
    keys = listed.compactMap(JSONWebKey.init)
  }

  /// The keys that may have signed a token.
  ///
  /// Several keys may share a name (RFC 7517 §4.5). A token that names a key is never verified with another: an unknown
  /// name means a new key, not a bad signature.
  package func candidates(keyID: String?) -> [JSONWebKey] {
    guard let keyID else { return keys }
    return keys.filter { $0.keyID?.isIdentical(to: keyID) == true }
  }
}

extension PublicKey {
  /// Only the required members of the JSON Web Key (RFC 7638 §3.2, RFC 8037 §2).
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
  /// The left half of a token's hash, as in `at_hash` (OpenID Connect Core §3.1.3.6).
  package func leftHalfHash(of token: Secret) -> String {
    let hash = digest.hash(token.revealed.utf8)
    return Base64URL.encode(hash.prefix(hash.count / 2))
  }
}
