public import FoundationEssentials
import MSAuthCrypto
import MSAuthTransport

extension ClientConfiguration {
  /// Rejects an authority whose tokens can't be bound to a key.
  func checkDPoP(at authority: Authority) throws(AuthenticationError) {
    guard usesDPoP, authority.kind != .oidc else { return }
    let message = "DPoP is on, but \(authority.url.printable()) doesn't offer it: it isn't a plain OpenID provider"
    let hint: Hint = "turn off \(setting: "dpop", or: "DPoP"), or give the authority the type oidc if it is one"
    throw AuthenticationError(.invalidConfiguration, message, reason: "dpop_authority", hint: hint)
  }
}

extension Provider {
  /// The client's key for this issuer, or a new one, which is stored with the tokens.
  func keyForSignIn() async throws(AuthenticationError) -> DPoPKey {
    let (offered, algorithm) = (metadata.dpopSigningAlgorithms, DPoPKey.algorithm.rawValue)
    guard offered.contains(algorithm) else {
      let what = offered.isEmpty ? "no DPoP" : "only \(offered.joined(separator: ", ").printable(limit: 100))"
      let message = "DPoP with \(algorithm) is on, but \(authority.url.printable()) offers \(what)"
      throw AuthenticationError(.invalidConfiguration, message, reason: "dpop_not_offered", hint: .requestDPoP)
    }
    let kept = try await context.store.load().bindingKeys(of: clientID, for: authority.url)
    if let key = kept.firstNonNil(DPoPKey.init) { return key }
    return try DPoPKey()
  }
}

extension DPoPKey {
  /// `nil` if the key doesn't match its entry's ID.
  init?(_ entry: BindingKeyEntry) {
    guard let key = try? DPoPKey(stored: entry.privateKey), key.thumbprint == entry.keyID else { return nil }
    self = key
  }

  func entry(for authority: Authority) throws(AuthenticationError) -> BindingKeyEntry {
    BindingKeyEntry(keyID: thumbprint, issuer: authority.url, privateKey: try exported())
  }
}

/// Sends requests with a proof of possession of the key (RFC 9449).
struct DPoPTransport: Sendable {
  let dependencies: Dependencies
  let key: DPoPKey

  func send(_ request: HTTPRequest) async throws(AuthenticationError) -> HTTPResponse {
    // 1. A proof for this request alone, with the server's newest known nonce.
    let target = try DPoPTarget(request.url)
    let known = await dependencies.newestNonce(of: target.origin)
    let first = try await send(request, to: target, nonce: known)
    guard let nonce = try requiredNonce(in: first, at: target) else { return first }

    // 2. Once more with the server's nonce: it has checked nothing else yet, so a code isn't used up (RFC 9449 §8).
    let second = try await send(request, to: target, nonce: nonce)
    guard try requiredNonce(in: second, at: target) == nil else {
      let message = "\(target.origin.printable()) rejects its own DPoP nonces; the clocks of its servers may differ"
      let hint: Hint = "report the error code to the administrator of \(target.origin)"
      throw AuthenticationError(.invalidResponse, message, reason: "dpop_nonce_loop", hint: hint)
    }
    return second
  }

  func proof(_ method: String, _ target: DPoPTarget, accessToken: Secret?, nonce: String?) throws(AuthenticationError)
    -> String
  {
    let random = randomBytes(DPoPKey.randomByteCount)
    let now = dependencies.clock.now()
    return try key.proof(method, target, accessToken: accessToken, nonce: nonce, at: now, random: random)
  }

  private func send(_ request: HTTPRequest, to target: DPoPTarget, nonce: String?) async throws(AuthenticationError)
    -> HTTPResponse
  {
    let response = try await dependencies.send(try proven(request, to: target, nonce: nonce))
    // Any response may have a new nonce (RFC 9449 §8.2).
    await dependencies.noteNonce(DPoPNonce.read(response.header("DPoP-Nonce")), of: target.origin)
    return response
  }

  private func proven(_ request: HTTPRequest, to target: DPoPTarget, nonce: String?) throws(AuthenticationError)
    -> HTTPRequest
  {
    let accessToken = request.authorization.flatMap { $0.scheme == TokenType.dpop.rawValue ? $0.credentials : nil }
    let proof = try proof(request.method.rawValue, target, accessToken: accessToken, nonce: nonce)
    var proven = request
    proven.headers.append(("DPoP", proof))
    // Servers accept a proof once (RFC 9449 §11.1), so a retry needs another.
    proven.rebuild = { try? self.proven(request, to: target, nonce: nonce) }
    return proven
  }

  private func requiredNonce(in response: HTTPResponse, at target: DPoPTarget) throws(AuthenticationError) -> String? {
    let challenges = response.all("WWW-Authenticate")
    guard DPoPNonce.isRequired(status: response.status, body: response.body, challenges: challenges) else { return nil }
    if let nonce = DPoPNonce.read(response.header("DPoP-Nonce")) { return nonce }
    let message = "\(target.origin.printable()) requires a DPoP nonce but sent none"
    throw AuthenticationError(.invalidResponse, message, reason: "dpop_nonce_missing")
  }
}

/// The newest nonce of each server, kept between runs: a proof with it saves the request that only gets a nonce.
extension Dependencies {
  func newestNonce(of origin: String) async -> String? {
    let kept = await document(origin + "#dpop-nonce")
    return DPoPNonce.read((try? kept.flatMap { try JSONValue(parsing: $0) })?.string)
  }

  func noteNonce(_ nonce: String?, of origin: String) async {
    guard let nonce, await nonce != newestNonce(of: origin) else { return }
    await keep(JSONValue.string(nonce).serialized(), as: origin + "#dpop-nonce")
  }
}

extension PublicClientApplication {
  /// Creates the DPoP proof for a request that the caller sends (RFC 9449 §7.1).
  ///
  /// The request has two header fields: `Authorization` with ``TokenResult/authorizationHeader``, and `DPoP` with the
  /// proof. A proof is valid for one request to one URL and for a short time, so make one for each request.
  /// ``get(_:with:)`` makes one itself.
  ///
  /// - Parameters:
  ///   - method: The request's method, such as `GET`, as it will be sent.
  ///   - url: The request's URL; its query and fragment are not part of the proof.
  ///   - token: The token of that request.
  ///   - nonce: The `DPoP-Nonce` of the resource's last response, which is remembered; `nil` for the newest known nonce.
  /// - Throws: `AuthenticationError` with `AuthenticationError.Code.invalidParameter` if the token is not bound to a
  ///   key, or if method, URL or nonce are invalid.
  /// - Returns: The proof.
  public func dpopProof(
    method: String,
    url: URL,
    token: TokenResult,
    nonce: String? = nil
  ) async throws(AuthenticationError) -> String {
    guard let key = token.key else {
      let message = "the token's type is \(token.tokenType.printable(limit: 40)), which needs no proof"
      let hint: Hint = "turn on \(setting: "dpop", or: "DPoP") and sign in again, or send the token without a proof"
      throw AuthenticationError(.invalidParameter, message, reason: "token_not_bound", hint: hint)
    }
    let target = try DPoPTarget(url.absoluteString)
    if let nonce {
      guard DPoPNonce.read(nonce) != nil else {
        throw AuthenticationError.invalidParameter(name: "the nonce of the proof", reason: "has invalid characters")
      }
      await context.dependencies.noteNonce(nonce, of: target.origin)
    }
    let newest = if let nonce { nonce } else { await context.dependencies.newestNonce(of: target.origin) }
    let transport = DPoPTransport(dependencies: context.dependencies, key: key)
    return try transport.proof(method, target, accessToken: Secret(token.accessToken), nonce: newest)
  }
}
