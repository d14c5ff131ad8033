import FlyingFox
import LibCrypto
import Core

extension Endpoints {
  /// The proof that a request to the plain OpenID provider brought; nil when it brought none.
  ///
  /// - Throws: `ProtocolError` when it is not good for this request.
  func proof(of call: Call, at flavour: Flavour) async throws -> ReceivedProof? {
    guard flavour == .oidc, let text = call.proof else { return nil }
    let proof = try ReceivedProof(text)
    try proof.check(for: call, at: baseURL, now: await state.now)
    try await state.take(proof)
    return proof
  }

  /// Why a resource refuses the way in which its token was shown; nil when that was right.
  ///
  /// - Parameter call: The request; one without a token, or with an unknown one, is not judged here.
  /// - Returns: A 401 with a challenge (RFC 9449 §7.1, §9).
  func proofRefusal(_ call: Call) async -> HTTPResponse? {
    guard let token = call.token, let grant = await state.grant(ofAccessToken: token) else { return nil }
    guard grant.keyThumbprint != nil || call.isBound else { return nil }
    do {
      // A bound token is worth nothing to its bearer, and a bearer token proves nothing.
      guard call.isBound, let proof = try await proof(of: call, at: .oidc), proof.thumbprint == grant.keyThumbprint
      else { return await challenge("invalid_token") }
      return nil
    } catch {
      return await challenge((error as? ProtocolError)?.error ?? "invalid_dpop_proof")
    }
  }

  /// An answer with a nonce for the next proof, where nonces are demanded and the client proves (RFC 9449 §8.2).
  func withNonce(_ answer: HTTPResponse, _ call: Call) async -> HTTPResponse {
    guard call.proof != nil, let nonce = await state.nextNonce(atResource: call.token != nil) else { return answer }
    var answer = answer
    answer.headers[HTTPHeader("DPoP-Nonce")] = nonce
    return answer
  }

  private func challenge(_ error: String) async -> HTTPResponse {
    let scheme = await state.poison.proofTroubles.contains(.otherSchemeCase) ? "dPoP" : "DPoP"
    // The field alone says what is wrong, as at many resources.
    var response = HTTPResponse(statusCode: .unauthorized)
    response.headers.setValues(
      [#"\#(scheme) error="\#(error)", algs="\#(ReceivedProof.algorithm.rawValue)""#],
      for: HTTPHeader("WWW-Authenticate")
    )
    return response
  }
}

extension Grant {
  /// The grant as it goes on: bound to the key that proved itself.
  ///
  /// - Parameter proof: The request's proof.
  /// - Returns: The grant with the key's thumbprint, or with none.
  /// - Throws: `ProtocolError` `invalid_grant` when it is bound to another key already (RFC 9449 §5, §10).
  func bound(by proof: ReceivedProof?) throws(ProtocolError) -> Grant {
    guard keyThumbprint == nil || keyThumbprint == proof?.thumbprint else { throw .otherKey }
    var grant = self
    grant.keyThumbprint = proof?.thumbprint
    return grant
  }
}

extension Parameters {
  /// A pushed request with the key that its proof names (RFC 9449 §10.1).
  func bound(by proof: ReceivedProof?) throws(ProtocolError) -> Parameters {
    guard let proof else { return self }
    guard self["dpop_jkt"] ?? proof.thumbprint == proof.thumbprint else {
      throw ProtocolError("invalid_dpop_proof", "The proof is not by the key of dpop_jkt.", aadsts: 900144)
    }
    var parameters = self
    parameters.pairs.removeAll { $0.name == "dpop_jkt" }
    parameters.pairs.append(("dpop_jkt", proof.thumbprint))
    return parameters
  }
}
