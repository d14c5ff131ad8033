package import Core

extension ProviderError {
  /// What to do about a proof that the provider refused (RFC 9449 §5); nil for any other error.
  package var proofHint: Hint? {
    error == "invalid_dpop_proof" ? .checkClock : nil
  }
}

/// The nonces that servers put into their clients' proofs (RFC 9449 §8, §9).
package enum DPoPNonce {
  /// Servers that keep nothing encrypt a time into it; none known has 200 bytes.
  package static let lengthLimit = 2048
  private static let bodyLimit = 64 * 1024
  private static let demand = "use_dpop_nonce"

  /// Reads a `DPoP-Nonce` field.
  package static func read(_ field: String?) -> String? {
    guard let field, (1...lengthLimit).contains(field.utf8.count),
      field.utf8.allSatisfy({ $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) })
    else { return nil }
    return field
  }

  /// Whether a response demands that the request be sent again with a nonce.
  ///
  /// The provider says so in an OAuth error (RFC 9449 §8), a resource in a challenge (§9).
  package static func isDemanded(status: Int, body: [UInt8], challenges: [String]) -> Bool {
    guard status == 400 || status == 401 else { return false }
    let isChallenged = AuthenticationChallenge.all(in: challenges).contains {
      $0.scheme == "dpop" && $0.parameters["error"] == demand
    }
    return isChallenged
      || (try? JSON.object(parsing: body, options: .strict(maximumSize: bodyLimit)))?["error"]?.string == demand
  }
}
