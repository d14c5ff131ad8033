public import FoundationEssentials
import MSAuthCrypto
import MSAuthJOSE
import MSAuthTransport

/// The keys that an application's tokens are bound to, where it uses DPoP (RFC 9449).
struct DPoPKeyStore: Sendable {
  private let configuration: ClientConfiguration
  private let authority: Authority

  init(_ configuration: ClientConfiguration, at authority: Authority) throws {
    try Self.check(configuration, at: authority)
    self.configuration = configuration
    self.authority = authority
  }

  /// Refuses an authority whose tokens cannot be bound.
  static func check(_ configuration: ClientConfiguration, at authority: Authority) throws {
    guard configuration.usesDPoP, authority.kind != .oidc else { return }
    throw AuthenticationError(
      .invalidConfiguration,
      "DPoP is switched on, which \(authority.url.printable()) does not offer: it is no plain OpenID provider",
      reason: "dpop_authority",
      hint: "turn off \(setting: "dpop", or: "DPoP"), or give the authority the type oidc if it is one"
    )
  }

  /// The key that the client has for this issuer, else a new one, which is stored with the tokens.
  func keyForSignIn(
    _ metadata: ProviderMetadata,
    in document: @autoclosure () async throws -> TokenCacheDocument
  ) async throws -> DPoPKey? {
    guard configuration.usesDPoP else { return nil }
    let offered = metadata.dpopSigningAlgorithms
    guard offered.contains(DPoPKey.algorithm.rawValue) else {
      let what =
        offered.isEmpty ? "no DPoP" : "DPoP with \(offered.joined(separator: ", ").printable(limit: 100)) alone"
      throw AuthenticationError(
        .invalidConfiguration,
        "DPoP with \(DPoPKey.algorithm.rawValue) is switched on, and \(authority.url.printable()) offers \(what)",
        reason: "dpop_not_offered",
        hint: .requestDPoP
      )
    }
    let kept = try await document().bindingKeys(of: configuration.clientID, for: authority.url)
    if let key = kept.lazy.compactMap(DPoPKey.init).first { return key }
    return try DPoPKey()
  }
}

extension DPoPKey {
  /// Reads a key from the cache; nil when it is not the one that its entry names.
  init?(_ entry: BindingKeyEntry) {
    guard let key = try? DPoPKey(kept: entry.privateKey), key.thumbprint == entry.keyID else { return nil }
    self = key
  }

  /// The key as the cache keeps it.
  func entry(for authority: Authority) throws -> BindingKeyEntry {
    BindingKeyEntry(keyID: thumbprint, issuer: authority.url, privateKey: try exported())
  }
}

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

    // 2. Once more with the server's nonce: it has checked nothing else yet, so a code isn't used up (RFC 9449 §8).
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

/// The newest nonce of each server, also of former runs: a proof with it spares the request that only learns it.
struct DPoPNonceCache: Sendable {
  let dependencies: Dependencies

  /// The newest nonce that a server gave (RFC 9449 §8.2).
  func newest(of origin: String) async -> String? {
    let kept = await dependencies.documents.document(Self.name(origin))
    return DPoPNonce.read((try? kept.flatMap { try JSONValue(parsing: $0.bytes) })?.string)
  }

  /// Remembers a nonce, where the response has one.
  func note(_ nonce: String?, of origin: String) async {
    guard let nonce, await nonce != newest(of: origin) else { return }
    let document = JSONValue.string(nonce).serialized()
    await dependencies.documents.keep(document, as: Self.name(origin), fetched: dependencies.clock.now())
  }

  private static func name(_ origin: String) -> String { origin + "#dpop-nonce" }
}

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
