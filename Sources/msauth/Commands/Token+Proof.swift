import ArgumentParser
import Core
import FoundationEssentials
import MSAuth

/// A request as people write it: `GET https://api.example/x`.
struct ProvenRequest: ExpressibleByArgument {
  var method: String
  var url: URL

  init?(argument: String) {
    let words = argument.split(separator: " ")
    guard words.count == 2, let url = URL(string: String(words[1])) else { return nil }
    method = String(words[0])
    self.url = url
  }
}

/// A token is printed together with the proof that has to go with it (DPoP, RFC 9449).
extension Token {
  /// Refuses a header without the proof that it needs, and a proof that is not needed, before a token is fetched.
  func checkProof(_ configuration: ClientConfiguration, printsHeader: Bool) throws {
    if configuration.usesDPoP, printsHeader, proofFor == nil {
      throw AuthenticationError(
        .invalidParameter,
        "--output header needs to know the request: tokens are bound to a key, and a proof is valid for one request",
        reason: "proof_needed",
        hint: "add --proof-for 'GET https://api.example/path', with the request's own method and URL"
      )
    }
    if !configuration.usesDPoP, proofFor != nil {
      throw AuthenticationError(
        .invalidParameter,
        "--proof-for is for tokens that are bound to a key, and DPoP is off",
        reason: "token_not_bound",
        hint: "omit it, or write \"dpop\": true into the configuration and sign in again"
      )
    }
  }

  /// The proof for the request that was named; nil when none was.
  func proof(with token: TokenResult, by application: PublicClientApplication) async throws -> String? {
    guard let request = proofFor else { return nil }
    return try await application.dpopProof(method: request.method, url: request.url, token: token, nonce: proofNonce)
  }
}
