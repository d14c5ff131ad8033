import FlyingFox
import LibCrypto
import Core

extension Endpoints {
  /// The DPoP proof of a request to the plain OpenID provider, or nil.
  ///
  /// - Throws: `ProtocolError` when it is not valid for this request.
  func proof(of request: Request, at kind: ProviderKind) async throws -> DPoPProof? {
    guard kind == .oidc, let jwt = request.dpopProof else { return nil }
    let proof = try DPoPProof(jwt)
    try proof.check(for: request, at: baseURL, now: await state.now)
    try await state.take(proof)
    return proof
  }

  /// The error for a token that was presented with the wrong scheme or proof, or nil.
  ///
  /// - Parameter request: The request. One without a token, or with an unknown one, is not checked here.
  /// - Returns: A 401 with a challenge (RFC 9449 §7.1, §9).
  func dpopError(_ request: Request) async -> HTTPResponse? {
    guard let token = request.token, let grant = await state.grant(ofAccessToken: token) else { return nil }
    guard grant.keyThumbprint != nil || request.isBound else { return nil }
    do {
      // A bound token needs the DPoP scheme with its key's proof; a bearer token may not have it.
      guard request.isBound, let proof = try await proof(of: request, at: .oidc),
        proof.thumbprint == grant.keyThumbprint
      else { return await challenge("invalid_token") }
      return nil
    } catch {
      return await challenge((error as? ProtocolError)?.error ?? "invalid_dpop_proof")
    }
  }

  /// The response with a nonce for the next proof, where nonces are required and the client uses DPoP (RFC 9449 §8.2).
  func withNonce(_ answer: HTTPResponse, _ request: Request) async -> HTTPResponse {
    guard request.dpopProof != nil, let nonce = await state.nextNonce(atResource: request.token != nil) else {
      return answer
    }
    var answer = answer
    answer.headers[HTTPHeader("DPoP-Nonce")] = nonce
    return answer
  }

  private func challenge(_ error: String) async -> HTTPResponse {
    let scheme = await state.injector.dpopFaults.contains(.otherSchemeCase) ? "dPoP" : "DPoP"
    // The body is empty, as at many resources.
    var response = HTTPResponse(statusCode: .unauthorized)
    response.headers.setValues(
      [#"\#(scheme) error="\#(error)", algs="\#(DPoPProof.algorithm.rawValue)""#],
      for: HTTPHeader("WWW-Authenticate")
    )
    return response
  }
}

extension Grant {
  /// The grant bound to the proof's key.
  ///
  /// - Parameter proof: The request's proof.
  /// - Returns: The grant with the key's thumbprint, or with none.
  /// - Throws: `ProtocolError` `invalid_grant` when it is bound to another key already (RFC 9449 §5, §10).
  func bound(by proof: DPoPProof?) throws(ProtocolError) -> Grant {
    guard keyThumbprint == nil || keyThumbprint == proof?.thumbprint else { throw .otherKey }
    var grant = self
    grant.keyThumbprint = proof?.thumbprint
    return grant
  }
}

extension Parameters {
  /// A pushed request with the thumbprint of its proof's key (RFC 9449 §10.1).
  func bound(by proof: DPoPProof?) throws(ProtocolError) -> Parameters {
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

/// Unusual behaviour with DPoP (RFC 9449).
enum DPoPFault: Sendable {
  /// Each proof needs a nonce, and each nonce is accepted once.
  case nonceRequired
  /// No nonce is ever accepted.
  case nonceLoop
  /// A nonce is required, and none is supplied.
  case nonceWithheld
  /// Only resources require nonces, and their challenges spell the scheme in unusual case.
  case otherSchemeCase
}

/// What the provider remembers about DPoP proofs.
struct DPoPState: Sendable {
  /// The proofs seen so far: thumbprint and `jti`.
  var shown: Set<String> = []
  /// The nonces issued and not used yet.
  var nonces: Set<String> = []
}

extension ProviderState {
  /// Accepts a proof, once.
  ///
  /// - Throws: `ProtocolError` when it was used before (RFC 9449 §11.1), or lacks a valid nonce (§8).
  func take(_ proof: DPoPProof) throws(ProtocolError) {
    guard proofs.shown.insert("\(proof.thumbprint) \(proof.id)").inserted else { throw .proof("it was shown before") }
    guard injector.requiresNonce(atResource: proof.tokenHash != nil) else { return }
    guard !injector.dpopFaults.contains(.nonceLoop), let nonce = proof.nonce, proofs.nonces.remove(nonce) != nil
    else { throw .nonceRequired }
  }

  /// The nonce for the next proof, or nil.
  ///
  /// - Parameter atResource: Whether a resource answers, and not the token endpoint.
  /// - Returns: The nonce.
  func nextNonce(atResource: Bool) -> String? {
    guard injector.requiresNonce(atResource: atResource), !injector.dpopFaults.contains(.nonceWithheld) else {
      return nil
    }
    let nonce = RandomString.token()
    proofs.nonces.insert(nonce)
    return nonce
  }
}

extension FaultInjector {
  var dpopFaults: [DPoPFault] {
    injections.compactMap { if case .dpop(let fault) = $0 { fault } else { nil } }
  }

  func requiresNonce(atResource: Bool) -> Bool { dpopFaults.contains { $0 != .otherSchemeCase || atResource } }
}
