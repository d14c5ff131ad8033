import DemoProvider
import Foundation
import MSAuthCore

extension ConformanceModule.Evidence {
  /// That every token request and every look at a resource was proved, each with a proof of its own by one key.
  ///
  /// - Parameter withNonce: Whether those that were answered had a nonce.
  /// - Returns: The evidence.
  static func proofs(withNonce: Bool) -> ConformanceModule.Evidence {
    ConformanceModule.Evidence(
      words: "a proof of its own for each request, \(withNonce ? "with a nonce" : "without nonces")"
    ) {
      record in
      let proved = record.filter { $0.path == "/oidc/token" || $0.bearer != nil }
      let proofs = proved.compactMap { ProofText($0.dpopProof) }
      return proofs.count == proved.count && !proofs.isEmpty
        && Set(proofs.map(\.id)).count == proofs.count && proofs.allSatisfy { $0.key == proofs.first?.key }
        && zip(proved, proofs).allSatisfy { $0.status >= 400 || ($1.nonce != nil) == withNonce }
        && record.contains { $0.path == "/oidc/authorize" && $0["dpop_jkt"] != nil }
    }
  }

  /// That a resource demanded a nonce, once, and got one from then on.
  static let resourceNonce = ConformanceModule.Evidence(words: "a challenge of the resource that is met") { record in
    let shown = record.filter { $0.bearer != nil }
    return shown.first?.status == 401 && ProofText(shown.first?.dpopProof)?.nonce == nil && shown.count > 2
      && shown.dropFirst().allSatisfy { $0.status == 200 && ProofText($0.dpopProof)?.nonce != nil }
  }
}

/// What a proof says; that it is true, the provider has verified.
struct ProofText {
  var key: JSONValue
  var id: String
  var nonce: String?

  init?(_ text: String?) {
    let parts = text?.split(separator: ".").compactMap { Base64URL.decode($0) } ?? []
    guard parts.count == 3, let header = try? JSONValue(parsing: parts[0]), let key = header["jwk"],
      let claims = try? JSONValue(parsing: parts[1]), let id = claims["jti"]?.string
    else { return nil }
    (self.key, self.id, nonce) = (key, id, claims["nonce"]?.string)
  }
}
