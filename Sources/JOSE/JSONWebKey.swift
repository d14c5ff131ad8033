package import MSAuthCore
package import MSAuthCrypto

/// A provider's public key for signatures (RFC 7517, RFC 7518 §6, RFC 8037 §2).
package struct JSONWebKey: Sendable {
  /// The key's name (`kid`).
  package let keyID: String?
  /// The only algorithm that the key may be used with (`alg`).
  package let algorithm: SignatureAlgorithm?
  /// The issuer whose tokens the key may sign: Entra's extension, with `{tenantid}` in it for most keys.
  package let issuer: String?
  package let publicKey: PublicKey

  /// Reads a key; nil if it can't verify signatures here.
  package init?(_ json: JSONValue) {
    guard let members = json.object, Self.isForVerifying(members), let publicKey = Self.publicKey(members) else {
      return nil
    }
    self.publicKey = publicKey
    algorithm = members["alg"]?.string.flatMap(SignatureAlgorithm.init(name:))
    keyID = members["kid"]?.string
    issuer = members["issuer"]?.string
    // RFC 8725 §3.1: a key is used with the algorithm it was made for and no other.
    guard members["alg"] == nil || algorithm.map(publicKey.suits) == true else { return nil }
    guard members["kid"] == nil || keyID != nil else { return nil }
  }

  /// Whether the key verifies signatures of that algorithm.
  package func suits(_ algorithm: SignatureAlgorithm) -> Bool {
    publicKey.suits(algorithm) && (self.algorithm ?? algorithm) == algorithm
  }

  /// RFC 7517 §4.2 and §4.3.
  private static func isForVerifying(_ members: JSONValue.Object) -> Bool {
    if let use = members["use"], use != "sig" { return false }
    if let operations = members["key_ops"], operations.array?.contains("verify") != true { return false }
    return true
  }

  private static func publicKey(_ members: JSONValue.Object) -> PublicKey? {
    func bytes(_ name: String) -> [UInt8] { members[name]?.string.flatMap { Base64URL.decode($0) } ?? [] }
    switch (members["kty"]?.string, members["crv"]?.string) {
    case ("RSA", _): return try? .rsa(modulus: bytes("n"), exponent: bytes("e"))
    case ("EC", let curve?):
      return EllipticCurve(rawValue: curve).flatMap { try? .ellipticCurve($0, x: bytes("x"), y: bytes("y")) }
    case ("OKP", "Ed25519"): return try? .ed25519(x: bytes("x"))
    default: return nil
    }
  }
}
