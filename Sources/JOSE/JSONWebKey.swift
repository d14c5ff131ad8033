package import LibCrypto
package import Core

/// A provider's public key for signatures (RFC 7517, RFC 7518 §6, RFC 8037 §2).
package struct JSONWebKey: Sendable {
  /// The key's name (`kid`); some providers with one key give it none.
  package let keyID: String?
  /// The one algorithm that the key is for (`alg`), where it says so.
  package let algorithm: SignatureAlgorithm?
  /// Whose tokens the key may sign, where it says so: Entra's extension, with `{tenantid}` in it for most keys.
  package let issuer: String?
  package let publicKey: PublicKey

  /// Reads a key, if it is one that verifies signatures here.
  ///
  /// Keys of another type, curve or algorithm, keys for encryption, and broken ones are none.
  package init?(_ json: JSON) {
    guard let members = json.object, Self.isForVerifying(members), let publicKey = Self.publicKey(members) else {
      return nil
    }
    if let name = members["alg"] {
      // RFC 8725 §3.1: a key is used with the algorithm that it was made for and no other.
      guard let algorithm = name.string.flatMap(SignatureAlgorithm.init(name:)), publicKey.suits(algorithm) else {
        return nil
      }
      self.algorithm = algorithm
    } else {
      self.algorithm = nil
    }
    if let name = members["kid"] {
      guard let keyID = name.string else { return nil }
      self.keyID = keyID
    } else {
      self.keyID = nil
    }
    self.issuer = members["issuer"]?.string
    self.publicKey = publicKey
  }

  /// Whether a signature of that algorithm may be verified with the key.
  package func suits(_ algorithm: SignatureAlgorithm) -> Bool {
    publicKey.suits(algorithm) && (self.algorithm ?? algorithm) == algorithm
  }

  /// RFC 7517 §4.2 and §4.3: what the key is for, where it says so.
  private static func isForVerifying(_ members: JSON.Object) -> Bool {
    if let use = members["use"], use != "sig" { return false }
    if let operations = members["key_ops"], operations.array?.contains("verify") != true { return false }
    return true
  }

  private static func publicKey(_ members: JSON.Object) -> PublicKey? {
    switch (members["kty"]?.string, members["crv"]?.string) {
    case ("RSA", _):
      guard let modulus = bytes("n", of: members), let exponent = bytes("e", of: members) else { return nil }
      return try? .rsa(modulus: modulus, exponent: exponent)
    case ("EC", let curve?):
      guard let curve = EllipticCurve(rawValue: curve), let x = bytes("x", of: members), let y = bytes("y", of: members)
      else { return nil }
      return try? .ellipticCurve(curve, x: x, y: y)
    case ("OKP", "Ed25519"):
      guard let x = bytes("x", of: members) else { return nil }
      return try? .ed25519(x: x)
    default:
      return nil
    }
  }

  private static func bytes(_ name: String, of members: JSON.Object) -> [UInt8]? {
    members[name]?.string.flatMap { Base64URL.decode($0) }
  }
}
