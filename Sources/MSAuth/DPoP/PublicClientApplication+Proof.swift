import Core
public import FoundationEssentials
import OAuth

extension PublicClientApplication {
  /// Makes the DPoP proof for a request that the caller sends (RFC 9449 §7.1).
  ///
  /// Such a request has two header fields: `Authorization` with ``TokenResult/authorizationHeader``, and `DPoP` with the
  /// proof. A proof is valid for one request to one URL and for a short time, so make one for each request.
  /// ``get(_:with:)`` makes its own.
  ///
  /// - Parameters:
  ///   - method: The request's method, such as `GET`, as it will be sent.
  ///   - url: The request's URL; its query and fragment are not part of the proof.
  ///   - token: The token of that request.
  ///   - nonce: The `DPoP-Nonce` of the resource's last response, which is remembered; nil for the newest one known.
  /// - Throws: ``AuthenticationError`` with `AuthenticationError.Code.invalidParameter` if the token is not bound to a
  ///   key, or if method, URL or nonce are invalid.
  /// - Returns: The proof.
  public func dpopProof(
    method: String,
    url: URL,
    token: TokenResult,
    nonce: String? = nil
  ) async throws(AuthenticationError) -> String {
    do {
      guard let key = token.key else {
        throw AuthenticationError(
          .invalidParameter,
          "the token is of type \(token.tokenType.printable(limit: 40)), which takes no proof",
          reason: "token_not_bound",
          hint: "turn on \(setting: "dpop", or: "DPoP") and sign in again, or send the token without a proof"
        )
      }
      let target = try DPoPTarget(url.absoluteString)
      let nonces = DPoPNonceCache(dependencies: context.dependencies)
      if let nonce {
        guard DPoPNonce.read(nonce) != nil else {
          throw Failure.invalidParameter(name: "the nonce of the proof", reason: "has invalid characters")
        }
        await nonces.note(nonce, of: target.origin)
      }
      let newest = if let nonce { nonce } else { await nonces.newest(of: target.origin) }
      return try DPoPTransport(dependencies: context.dependencies, key: key).proof(
        method,
        target,
        accessToken: Secret(token.accessToken),
        nonce: newest
      )
    } catch {
      throw AuthenticationError(wrapping: error)
    }
  }
}
