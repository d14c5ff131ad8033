import JOSE
import OAuth
import Core

/// Validates the ID token of a token response with the provider's keys (OpenID Connect Core §3.1.3.7, §12.2).
struct IDTokenCheck: Sendable {
  /// What the token answers.
  enum Occasion: Sendable {
    /// A sign-in that sent this nonce (none for a device's code), and perhaps demanded a recent authentication (seconds).
    case signIn(nonce: Secret?, maxAge: Int64?)
    /// A refresh, after a token with these claims; nil when none was stored.
    case refresh(after: IDTokenClaims?)
  }

  /// Two days, in seconds: more than a wrong time zone, summer time or date by one make together.
  ///
  /// The refresh token that such an ID token comes with may be used up at the provider, and a clock that is wrong here
  /// must not lose the new one. That the token is not an old one shows beside the one before it (§12.2).
  private static let wrongClock: Int64 = 2 * 24 * 60 * 60

  let dependencies: Dependencies
  let metadata: ProviderMetadata
  let clientID: String

  /// Validates a token.
  ///
  /// - Parameters:
  ///   - idToken: The token of the response.
  ///   - accessToken: The access token beside it, which `at_hash` names.
  ///   - occasion: What the response answers.
  /// - Returns: The token's claims, which can be believed.
  /// - Throws: ``AuthenticationError`` with ``AuthenticationError/Code/invalidResponse``.
  func validate(_ idToken: Secret, beside accessToken: Secret, on occasion: Occasion) async throws -> IDTokenClaims {
    let directory = ProviderDirectory(dependencies: dependencies)
    let keys = try await directory.keys(of: metadata)
    do throws(IDTokenError) {
      return try check(idToken, beside: accessToken, on: occasion, keys: keys)
    } catch {
      // Keys rotate: what does not fit the kept ones may fit today's.
      guard error.mayComeFromStaleKeys, case .keys(let newKeys) = try await directory.refetchKeys(of: metadata) else {
        throw AuthenticationError(wrapping: error)
      }
      return try check(idToken, beside: accessToken, on: occasion, keys: newKeys)
    }
  }

  private func check(
    _ idToken: Secret,
    beside accessToken: Secret,
    on occasion: Occasion,
    keys: JSONWebKeySet
  ) throws(IDTokenError) -> IDTokenClaims {
    var rules = IDTokenRules(
      issuer: metadata.issuerRule,
      clientID: clientID,
      nonce: nil,
      now: dependencies.clock.now(),
      accessToken: accessToken,
      algorithms: IDTokenRules.algorithms(advertised: metadata.idTokenSigningAlgorithms)
    )
    switch occasion {
    case .signIn(let nonce, let maxAge):
      rules.nonce = nonce
      rules.maxAge = maxAge
      return try IDToken.validate(idToken, keys: keys, rules: rules)
    case .refresh(let original?):
      rules.clockTolerance = Self.wrongClock
      return try IDToken.validateRefreshed(idToken, after: original, keys: keys, rules: rules)
    case .refresh(nil):
      rules.clockTolerance = Self.wrongClock
      return try IDToken.validate(idToken, keys: keys, rules: rules)
    }
  }
}
