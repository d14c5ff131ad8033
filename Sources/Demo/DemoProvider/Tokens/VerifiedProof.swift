import MSAuthCore
import MSAuthCrypto
import MSAuthJOSE

/// A DPoP proof with a verified signature (RFC 9449 §4.3).
struct VerifiedProof: Sendable {
  /// The maximum difference between the clocks of provider and client, in seconds.
  static let tolerance: Int64 = 300
  static let algorithm = SignatureAlgorithm.es256

  /// The key's SHA-256 thumbprint (RFC 7638).
  var thumbprint: String
  var id: String
  var method: String
  var address: String
  var issuedAt: UnixTime
  var nonce: String?
  /// The `ath` claim: the hash of the access token.
  var tokenHash: String?

  /// Parses the `DPoP` field and verifies the proof with the key in it.
  init(_ text: String) throws(ProtocolError) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
      let signature = Base64URL.decode(parts[2])
    else { throw .proof("it isn't a signed JSON Web Token") }
    guard header["typ"] == "dpop+jwt", header["alg"]?.string == Self.algorithm.rawValue else {
      throw .proof("its type or its algorithm is wrong")
    }
    guard let jwk = header["jwk"]?.object, Set(jwk.keys) == ["kty", "crv", "x", "y"], jwk["kty"] == "EC",
      jwk["crv"] == "P-256", let key = JSONWebKey(.object(jwk))?.publicKey
    else { throw .proof("its key isn't a public P-256 key") }
    guard key.verify(signature: signature, of: "\(parts[0]).\(parts[1])".utf8, with: Self.algorithm) else {
      throw .proof("its signature isn't valid")
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
  func check(for request: ProviderRequest, at baseURL: String, now: UnixTime) throws(ProtocolError) {
    guard method == request.method, address == baseURL + request.path else { throw .proof("it is for another request") }
    guard abs(now - issuedAt) <= Self.tolerance else { throw .proof("it is too old, or from the future") }
    // RFC 9449 §7: a proof sent with an access token has its hash.
    guard tokenHash == request.headerToken.map(Base64URL.sha256) else { throw .proof("it is for another access token") }
  }

  private static func object(_ part: Substring) -> JSONValue.Object? {
    Base64URL.decode(part).flatMap { try? JSONValue(parsing: $0) }?.object
  }
}

extension ProtocolError {
  static func proof(_ what: String) -> ProtocolError {
    ProtocolError("invalid_dpop_proof", "The DPoP proof is rejected: \(what).", aadsts: 900144)
  }
}
