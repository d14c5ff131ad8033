import Core

/// What may be unusual about proofs of possession (RFC 9449).
enum ProofTrouble: Sendable {
  /// Each proof has to have a nonce, and each nonce is good once.
  case nonceDemanded
  /// No nonce is ever good enough.
  case nonceLoop
  /// A nonce is demanded, and none given.
  case nonceWithheld
  /// Resources alone demand nonces, in challenges that spell the scheme in their own way.
  case otherSchemeCase
}

/// What the provider remembers of proofs.
struct ProofMemory: Sendable {
  /// The proofs that were shown, by key and name.
  var shown: Set<String> = []
  /// The nonces that were given out and not used yet.
  var nonces: Set<String> = []
}

extension ProviderState {
  /// Takes a proof, once.
  ///
  /// - Throws: `ProtocolError` when it was shown before (RFC 9449 §11.1), or lacks a nonce that is good (§8).
  func take(_ proof: ReceivedProof) throws(ProtocolError) {
    guard proofs.shown.insert("\(proof.thumbprint) \(proof.id)").inserted else { throw .proof("it was shown before") }
    guard poison.demandsNonces(atResource: proof.tokenHash != nil) else { return }
    guard !poison.proofTroubles.contains(.nonceLoop), let nonce = proof.nonce, proofs.nonces.remove(nonce) != nil
    else { throw .nonceDemanded }
  }

  /// A nonce for the next proof; nil where none is given.
  ///
  /// - Parameter atResource: Whether a resource answers, and not the token endpoint.
  /// - Returns: The nonce.
  func nextNonce(atResource: Bool) -> String? {
    guard poison.demandsNonces(atResource: atResource), !poison.proofTroubles.contains(.nonceWithheld) else {
      return nil
    }
    let nonce = RandomText.token()
    proofs.nonces.insert(nonce)
    return nonce
  }
}

extension FaultInjector {
  var proofTroubles: [ProofTrouble] {
    effects.compactMap { if case .proofs(let trouble) = $0 { trouble } else { nil } }
  }

  func demandsNonces(atResource: Bool) -> Bool { proofTroubles.contains { $0 != .otherSchemeCase || atResource } }
}
