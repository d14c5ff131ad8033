package import MSAuthCore
package import MSAuthCrypto
import MSAuthJOSE

/// The key that a client's tokens are bound to (RFC 9449): without it, the tokens are useless.
package struct DPoPKey: Sendable {
  /// The algorithm that almost every server supports.
  package static let algorithm = SignatureAlgorithm.es256
  /// The size of `jti`, which must have at least 96 random bits (RFC 9449 §4.2).
  package static let randomByteCount = 16
  /// Distinguishes a proof from every other token (RFC 8725 §3.11).
  private static let proofType = "dpop+jwt"

  /// The key's name at servers (`jkt`, RFC 9449 §6.1).
  package let thumbprint: String
  private let key: SigningKey

  package init() throws(AuthenticationError) { self.init(try .generate(for: Self.algorithm)) }

  package init(stored key: Secret) throws(AuthenticationError) {
    self.init(try .imported(key, for: Self.algorithm))
  }

  private init(_ key: SigningKey) {
    self.key = key
    thumbprint = key.publicKey.thumbprint
  }

  /// The private key as PKCS #8 in base64.
  package func exported() throws(AuthenticationError) -> Secret { try key.exported() }

  /// Proof that the sender of one request holds the key (RFC 9449 §4.2).
  package func proof(
    _ method: String,
    _ target: DPoPTarget,
    accessToken: Secret? = nil,
    nonce: String? = nil,
    at now: UnixTime,
    random: [UInt8]
  ) throws(AuthenticationError) -> String {
    precondition(random.count == Self.randomByteCount, "a proof's ID has 16 random bytes")
    guard (1...32).contains(method.utf8.count), method.utf8.allSatisfy({ (0x41...0x5A).contains($0) || $0 == 0x2D })
    else { throw .invalidParameter(name: "the method", reason: "isn't an HTTP method such as GET or POST") }
    var claims: JSONValue.Object = [
      "jti": .string(Base64URL.encode(random)),
      "htm": .string(method),
      "htu": .string(target.uri),
      "iat": .init(integerLiteral: now),
    ]
    claims["ath"] = accessToken.map { .string(Base64URL.encode(Digest.sha256.hash($0.revealed.utf8))) }
    claims["nonce"] = nonce.map { .string($0) }
    let header: JSONValue = [
      "typ": .string(Self.proofType), "alg": .string(Self.algorithm.rawValue), "jwk": .object(key.publicKey.webKey),
    ]
    let payload = JSONValue.object(claims).serialized()
    return try JSONWebSignature.sign(payload, header: header.serialized(), key: key, algorithm: Self.algorithm)
  }
}

/// The part of a request's URL that a proof covers (RFC 9449 §4.2: `htu`).
package struct DPoPTarget: Sendable, Equatable {
  /// Scheme, host and port, which nonces belong to.
  package let origin: String
  /// The URL without query and fragment, normalized, since some servers compare it as sent (RFC 9449 §4.3).
  let uri: String

  package init(_ url: String) throws(AuthenticationError) {
    func invalid(_ reason: String) -> AuthenticationError { .invalidParameter(name: "the URL", reason: reason) }
    let parsed = try WebURL(String(url.prefix { $0 != "#" }), .request, orThrow: invalid)
    // libcurl and browsers remove dot segments, so the proof would be for another URL.
    guard !parsed.path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
      throw invalid("has a path with dot segments")
    }
    origin = parsed.origin
    uri = origin + (parsed.path.isEmpty ? "/" : parsed.path)
  }
}

/// The nonces that servers require in proofs (RFC 9449 §8, §9).
package enum DPoPNonce {
  /// Stateless servers encrypt a time into it.
  private static let lengthLimit = 2048
  private static let bodyLimit = 64 * 1024
  private static let errorCode = "use_dpop_nonce"

  package static func read(_ field: String?) -> String? {
    guard let field, (1...lengthLimit).contains(field.utf8.count),
      field.utf8.allSatisfy(\.isScopeCharacter)
    else { return nil }
    return field
  }

  /// Whether an OAuth error (RFC 9449 §8) or a challenge (§9) requires the request again with a nonce.
  package static func isRequired(status: Int, body: [UInt8], challenges: [String]) -> Bool {
    guard status == 400 || status == 401 else { return false }
    let isChallenged = AuthenticationChallenge.all(in: challenges).contains {
      $0.scheme == "dpop" && $0.parameters["error"] == errorCode
    }
    return isChallenged
      || (try? JSONValue.object(parsing: body, options: .strict(maximumSize: bodyLimit)))?["error"]?.string == errorCode
  }
}
