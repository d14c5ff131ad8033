import LibCrypto
package import Core

/// The proof that who sends a request holds the key (RFC 9449 §4.2); good for that one request.
package struct DPoPProof: Sendable {
  /// RFC 9449 §4.2 demands 96 bits at least for `jti`, which nobody may use twice.
  package static let randomByteCount = 16
  /// What distinguishes a proof from every other token (RFC 8725 §3.11).
  package static let type = "dpop+jwt"

  package var method: String
  package var target: DPoPTarget
  /// The token that goes with the request, if one does.
  package var accessToken: Secret?
  /// The server's newest nonce, if it gave one (RFC 9449 §8, §9).
  package var nonce: String?

  /// Makes a proof that is not signed yet.
  package init(
    _ method: String,
    _ target: DPoPTarget,
    accessToken: Secret? = nil,
    nonce: String? = nil
  ) throws(Failure) {
    guard (1...32).contains(method.utf8.count), method.utf8.allSatisfy({ (0x41...0x5A).contains($0) || $0 == 0x2D })
    else { throw .invalidParameter(name: "the method to prove for", reason: "is not one such as GET or POST") }
    self.method = method
    self.target = target
    self.accessToken = accessToken
    self.nonce = nonce
  }

  /// Signs the proof.
  package func signed(by key: DPoPKey, at now: UnixTime, random: [UInt8]) throws(Failure) -> String {
    precondition(random.count == Self.randomByteCount, "a proof's name is made of 16 random bytes")
    var claims: JSON.Object = [
      "jti": .string(Base64URL.encode(random)),
      "htm": .string(method),
      "htu": .string(target.uri),
      "iat": .init(integerLiteral: now),
    ]
    claims["ath"] = accessToken.map { .string(Base64URL.encode(Digest.sha256.hash($0.revealed.utf8))) }
    claims["nonce"] = nonce.map { .string($0) }
    return try key.signed(.object(claims), type: Self.type)
  }
}
