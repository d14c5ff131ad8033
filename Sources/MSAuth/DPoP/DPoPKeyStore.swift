import JOSE
import LibCrypto
import OAuth
import Core
import TokenCache

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

  /// The key for a sign-in: the one that the client has for this issuer already, else a new one.
  ///
  /// A new one is stored together with the tokens, so that a sign-in that nobody finishes leaves nothing behind.
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
