import LibCrypto
import OAuth
import Core
import Transport

/// Sends a request together with the proof that the key is here (RFC 9449).
struct DPoPTransport: Sendable {
  let dependencies: Dependencies
  let key: DPoPKey

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    // 1. A proof for this request alone, with the server's newest nonce as far as one is known.
    let target = try DPoPTarget(request.url)
    let known = await DPoPNonceCache(dependencies: dependencies).newest(of: target.origin)
    let first = try await send(request, to: target, nonce: known)
    guard let nonce = try demand(of: first, at: target) else { return first }

    // 2. Once more with the nonce that came back. The server has looked at nothing else yet, so that a code or a refresh
    // token is as good as before (RFC 9449 §8).
    let second = try await send(request, to: target, nonce: nonce)
    guard try demand(of: second, at: target) == nil else {
      throw AuthenticationError(
        .invalidResponse,
        "\(target.origin.printable()) demands one nonce after another and accepts none; the clocks of its servers may differ",
        reason: "dpop_nonce_loop",
        hint: "tell the administrator of \(target.origin) the error code"
      )
    }
    return second
  }

  /// Signs a proof.
  func proof(_ method: String, _ target: DPoPTarget, accessToken: Secret?, nonce: String?) throws -> String {
    let random = dependencies.random.bytes(DPoPKey.randomByteCount)
    let now = dependencies.clock.now()
    return try key.proof(method, target, accessToken: accessToken, nonce: nonce, at: now, random: random)
  }

  private func send(_ request: HTTPRequest, to target: DPoPTarget, nonce: String?) async throws -> HTTPResponse {
    let response = try await dependencies.send(try proven(request, to: target, nonce: nonce))
    // Any answer may bring a new one (RFC 9449 §8.2).
    let brought = DPoPNonce.read(response.header("DPoP-Nonce"))
    await DPoPNonceCache(dependencies: dependencies).note(brought, of: target.origin)
    return response
  }

  private func proven(_ request: HTTPRequest, to target: DPoPTarget, nonce: String?) throws -> HTTPRequest {
    let accessToken = request.authorization.flatMap { $0.scheme == TokenType.dpop.rawValue ? $0.credentials : nil }
    let proof = try proof(request.method.rawValue, target, accessToken: accessToken, nonce: nonce)
    var proven = request
    proven.headers.append(("DPoP", proof))
    // Servers take a proof once (RFC 9449 §11.1): where the request is repeated, it needs another one.
    proven.rebuild = { try? self.proven(request, to: target, nonce: nonce) }
    return proven
  }

  /// The nonce that a response demands; nil when it makes no such demand.
  private func demand(of response: HTTPResponse, at target: DPoPTarget) throws -> String? {
    let challenges = response.all("WWW-Authenticate")
    guard DPoPNonce.isDemanded(status: response.status, body: response.body, challenges: challenges) else { return nil }
    if let nonce = DPoPNonce.read(response.header("DPoP-Nonce")) { return nonce }
    throw AuthenticationError(
      .invalidResponse,
      "\(target.origin.printable()) demands a nonce and gives none",
      reason: "dpop_nonce_missing"
    )
  }
}
