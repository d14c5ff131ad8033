import JOSE
import LibCrypto
import Core

/// A DPoP proof whose signature is verified (RFC 9449 §4.3).
struct DPoPProof: Sendable {
  /// The maximum difference between the clocks of provider and client, in seconds.
  static let tolerance: Int64 = 300
  /// The only algorithm that the provider accepts.
  static let algorithm = SignatureAlgorithm.es256

  /// The key's SHA-256 thumbprint (RFC 7638).
  var thumbprint: String
  /// The `jti` claim, unique among the key's proofs.
  var id: String
  var method: String
  var address: String
  var issuedAt: UnixTime
  var nonce: String?
  /// The `ath` claim: the hash of the access token.
  var tokenHash: String?

  /// Reads a proof.
  ///
  /// - Parameter text: The value of the `DPoP` field.
  /// - Throws: `ProtocolError` `invalid_dpop_proof` when it is malformed, or its signature is not by its own key.
  init(_ text: String) throws(ProtocolError) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
      let signature = Base64URL.decode(parts[2])
    else { throw .proof("it is no signed JSON Web Token") }
    guard header["typ"] == "dpop+jwt", header["alg"]?.string == Self.algorithm.rawValue else {
      throw .proof("its type or its algorithm is another one")
    }
    guard let jwk = header["jwk"]?.object, Set(jwk.keys) == ["kty", "crv", "x", "y"], jwk["kty"] == "EC",
      jwk["crv"] == "P-256", let x = Self.bytes(jwk["x"]), let y = Self.bytes(jwk["y"]),
      let key = try? PublicKey.ellipticCurve(.p256, x: x, y: y)
    else { throw .proof("it has no public key on P-256, or more than that") }
    guard key.verify(signature: signature, of: "\(parts[0]).\(parts[1])".utf8, with: Self.algorithm) else {
      throw .proof("its signature is not by its key")
    }
    guard let id = claims["jti"]?.string, let method = claims["htm"]?.string, let address = claims["htu"]?.string,
      let issuedAt = claims["iat"]?.integer, !id.isEmpty
    else { throw .proof("a claim is missing") }
    thumbprint = key.thumbprint
    (self.id, self.method, self.address, self.issuedAt) = (id, method, address, issuedAt)
    nonce = claims["nonce"]?.string
    tokenHash = claims["ath"]?.string
  }

  /// Checks that the proof is for this request and recent.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - baseURL: The provider's own address.
  ///   - now: Unix time.
  /// - Throws: `ProtocolError` `invalid_dpop_proof`.
  func check(for request: Request, at baseURL: String, now: UnixTime) throws(ProtocolError) {
    guard method == request.method, address == baseURL + request.path else { throw .proof("it is for another request") }
    guard abs(now - issuedAt) <= Self.tolerance else { throw .proof("it is too old, or from the future") }
    // RFC 9449 §7: the proof has the hash of the access token sent with it, if any.
    guard tokenHash == request.token.map(SigningKeys.sha256) else { throw .proof("it is for another access token") }
  }

  private static func object(_ part: Substring) -> JSON.Object? {
    Base64URL.decode(part).flatMap { try? JSON(parsing: $0) }?.object
  }

  private static func bytes(_ value: JSON?) -> [UInt8]? { value?.string.flatMap { Base64URL.decode($0) } }
}

extension ProtocolError {
  static func proof(_ what: String) -> ProtocolError {
    ProtocolError("invalid_dpop_proof", "The DPoP proof is refused: \(what).", aadsts: 900144)
  }

  static let nonceRequired = ProtocolError(
    "use_dpop_nonce",
    "The DPoP proof must have the nonce of this answer.",
    aadsts: 900144
  )

  static let otherKey = ProtocolError(
    "invalid_grant",
    "The grant is bound to a key, and there is no proof by that key.",
    aadsts: 70000
  )
}
