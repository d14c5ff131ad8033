import FlyingFox
import MSAuthCore
import MSAuthCrypto
import MSAuthJOSE

extension IdentityProvider {
  /// Verifies and accepts the request's DPoP proof; only the plain OpenID provider uses DPoP.
  func proof(of request: ProviderRequest, at kind: ProviderKind) throws(ProtocolError) -> VerifiedProof? {
    guard kind == .oidc, let jwt = request.dpopProof else { return nil }
    let proof = try VerifiedProof(jwt)
    try proof.check(for: request, at: baseURL, now: now)
    // A proof is accepted once (RFC 9449 §11.1), and only with a valid nonce if one is required (§8).
    guard proofs.insert("\(proof.thumbprint) \(proof.id)").inserted else {
      throw .proof("it was used before")
    }
    guard requiresNonce(for: request) else { return proof }
    guard injector.dpop != .nonceLoop, let nonce = proof.nonce, nonces.remove(nonce) != nil else {
      throw ProtocolError("use_dpop_nonce", "The proof must have the nonce of this response.", aadsts: 900144)
    }
    return proof
  }

  /// A 401 with a challenge if a known token has the wrong scheme or proof (RFC 9449 §7.1, §9).
  func dpopError(_ request: ProviderRequest) -> HTTPResponse? {
    guard let grant = request.headerToken.flatMap(grant(ofAccessToken:)), grant.keyThumbprint != nil || request.isBound
    else { return nil }
    var error = "invalid_token"
    do throws(ProtocolError) {
      // A bound token requires the DPoP scheme with its key's proof; a bearer token must not have it.
      if request.isBound, let key = grant.keyThumbprint, try proof(of: request, at: .oidc)?.thumbprint == key {
        return nil
      }
    } catch let rejection {
      error = rejection.error
    }
    let scheme = injector.dpop == .otherSchemeCase ? "dPoP" : "DPoP"
    // Many resources return an empty body.
    let challenge = #"\#(scheme) error="\#(error)", algs="\#(VerifiedProof.algorithm.rawValue)""#
    return HTTPResponse(401, headers: [.wwwAuthenticate: challenge])
  }

  /// The nonce for the next proof if nonces are required (RFC 9449 §8.2).
  func nextNonce(for request: ProviderRequest) -> String? {
    guard request.dpopProof != nil, requiresNonce(for: request), injector.dpop != .nonceWithheld else { return nil }
    let nonce = RandomString.token()
    nonces.insert(nonce)
    return nonce
  }

  private func requiresNonce(for request: ProviderRequest) -> Bool {
    injector.dpop.map { $0 != .otherSchemeCase || request.headerToken != nil } ?? false
  }
}

extension Grant {
  /// Binds the grant to the proof's key, unless it is bound to another one (RFC 9449 §5, §10).
  func bound(by proof: VerifiedProof?) throws(ProtocolError) -> Grant {
    guard access.keyThumbprint == nil || access.keyThumbprint == proof?.thumbprint else {
      throw ProtocolError("invalid_grant", "The request has no proof of the grant's key.", aadsts: 70000)
    }
    var grant = self
    grant.access.keyThumbprint = proof?.thumbprint
    return grant
  }
}

extension Parameters {
  /// Adds the thumbprint of the proof's key to a pushed request (RFC 9449 §10.1).
  func bound(by proof: VerifiedProof?) throws(ProtocolError) -> Parameters {
    guard let proof else { return self }
    guard self["dpop_jkt"] ?? proof.thumbprint == proof.thumbprint else {
      throw ProtocolError("invalid_dpop_proof", "The proof isn't signed with the key of dpop_jkt.", aadsts: 900144)
    }
    var parameters = self
    parameters.pairs.removeAll { $0.name == "dpop_jkt" }
    parameters.pairs.append(("dpop_jkt", proof.thumbprint))
    return parameters
  }
}
