import JOSE
import FoundationEssentials
package import LibCrypto
package import Core

/// The key that a client's tokens are bound to (RFC 9449): a token is useless without the key.
package struct DPoPKey: Sendable {
  /// On P-256: the one algorithm that next to every server offers, and signatures of 64 bytes.
  package static let algorithm = SignatureAlgorithm.es256

  /// What servers know the key by (`jkt`, RFC 9449 §6.1).
  package let thumbprint: String
  private let key: SigningKey

  /// Makes a new key.
  package init() throws(Failure) {
    self.init(try .generate(.p256))
  }

  /// Reads a key that was kept.
  package init(kept: Secret) throws(Failure) {
    // What is no base64 has no bytes, and no bytes are no key.
    let bytes = Data(base64Encoded: kept.revealed).map { [UInt8]($0) } ?? []
    self.init(try .imported(PrivateKeyBytes(bytes), as: .p256))
  }

  private init(_ key: SigningKey) {
    self.key = key
    thumbprint = key.publicKey.thumbprint
  }

  /// The private key, to be kept: PKCS #8 in base64, as between the lines of a PEM file.
  package func exported() throws(Failure) -> Secret {
    Secret(Data(try key.exported().revealed).base64EncodedString())
  }

  /// Signs a JSON Web Token with the public key in its header (RFC 7515 §3.1, §4.1.3).
  func signed(_ claims: JSON, type: String) throws(Failure) -> String {
    let header: JSON = [
      "typ": .string(type), "alg": .string(Self.algorithm.rawValue), "jwk": .object(key.publicKey.webKey),
    ]
    return try JSONWebSignature.sign(
      claims.serialized(),
      header: header.serialized(),
      key: key,
      algorithm: Self.algorithm
    )
  }
}
