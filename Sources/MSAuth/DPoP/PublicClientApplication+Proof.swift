import OAuth
import Core

extension PublicClientApplication {
  /// Makes the proof that goes with a request of the caller's own, where tokens are bound to a key (RFC 9449 §7.1).
  ///
  /// Such a request has two header fields: `Authorization`, whose value is ``TokenResult/authorizationHeader``, and `DPoP`,
  /// whose value is the proof. A proof is good for one request to one URL and for a short time, so make one each time.
  /// ``get(_:with:)`` does all of that by itself.
  ///
  /// - Parameters:
  ///   - method: The request's method, such as `GET`, as it will be sent.
  ///   - url: The request's URL; its query and fragment are not part of the proof.
  ///   - token: The token that goes with it.
  ///   - nonce: The `DPoP-Nonce` of the resource's last answer, which is remembered for it; nil for the newest one known.
  /// - Throws: ``AuthenticationError`` with ``AuthenticationError/Code/invalidParameter`` when the token is not bound to a
  ///   key, or method, URL or nonce are none.
  /// - Returns: The proof.
  public func proof(for method: String, _ url: String, with token: TokenResult, nonce: String? = nil) throws -> String {
    try AuthenticationError.wrap {
      guard let key = token.key else {
        throw AuthenticationError(
          .invalidParameter,
          "the token is of type \(token.tokenType.printable(limit: 40)), which takes no proof",
          reason: .tokenNotBound,
          remedy: .enableDPoP
        )
      }
      do {
        let target = try DPoPTarget(url)
        let nonces = DPoPNonceCache(dependencies: context.dependencies)
        if let nonce {
          guard DPoPNonce.read(nonce) != nil else {
            throw OAuthError.invalidParameter(
              name: "the nonce to prove with",
              reason: "has characters that none can have"
            )
          }
          nonces.note(nonce, of: target.origin)
        }
        return try DPoPTransport(dependencies: context.dependencies, key: key).proof(
          method,
          target,
          accessToken: Secret(token.accessToken),
          nonce: nonce ?? nonces.newest(of: target.origin)
        )
      } catch let error as OAuthError {
        throw AuthenticationError(error, as: .invalidParameter)
      }
    }
  }
}
