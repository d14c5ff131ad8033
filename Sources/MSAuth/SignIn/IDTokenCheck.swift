import Core
import JOSE
import OAuth
import Transport

/// Validates the ID token of a token response with the provider's keys (OpenID Connect Core §3.1.3.7, §12.2).
struct IDTokenCheck: Sendable {
  /// Two days, in seconds: more than a wrong time zone, summer time or date by one make together.
  ///
  /// The refresh token that such an ID token comes with may be used up at the provider, and a clock that is wrong here
  /// must not lose the new one. That the token is not an old one shows beside the one before it (§12.2).
  private static let wrongClock: Int64 = 2 * 24 * 60 * 60

  let dependencies: Dependencies
  let metadata: ProviderMetadata
  let clientID: String

  /// Validates the token of a sign-in.
  ///
  /// - Parameters:
  ///   - idToken: The token of the response.
  ///   - accessToken: The access token beside it, which `at_hash` names.
  ///   - nonce: The nonce that was sent; nil where none was, for a device's code.
  ///   - maxAge: How many seconds ago the person may have authenticated; nil where that was not asked for.
  /// - Returns: The token's claims, which can be believed.
  /// - Throws: ``AuthenticationError`` with ``AuthenticationError/Code/invalidResponse``.
  func validate(
    _ idToken: Secret,
    beside accessToken: Secret,
    nonce: Secret?,
    maxAge: Int64?
  ) async throws -> IDTokenClaims {
    let directory = ProviderDirectory(dependencies: dependencies)
    let keys = try await directory.keys(of: metadata)
    var rules = rules(beside: accessToken)
    rules.nonce = nonce
    rules.maxAge = maxAge
    do throws(IDTokenError) {
      return try IDToken.validate(idToken, keys: keys, rules: rules)
    } catch {
      // Keys rotate: what does not fit the kept ones may fit today's.
      guard error.mayComeFromStaleKeys, case .keys(let newKeys) = try await directory.refetchKeys(of: metadata) else {
        throw await explained(error)
      }
      do throws(IDTokenError) {
        return try IDToken.validate(idToken, keys: newKeys, rules: rules)
      } catch {
        throw await explained(error)
      }
    }
  }

  /// The error of a token whose time does not fit, with how wrong this computer's clock is: the usual cause.
  private func explained(_ error: IDTokenError) async -> AuthenticationError {
    var explained = AuthenticationError(wrapping: error)
    guard [.expired, .notYetValid, .issuedInFuture].contains(error.rule) else { return explained }
    let request = HTTPRequest(.get, metadata.jwksURI, headers: [("Accept", "application/json")])
    let response = try? await dependencies.send(request)
    guard let difference = response.flatMap({ ClockDifference($0, now: dependencies.clock.now()) }) else {
      explained.remedy = .checkClock
      return explained
    }
    guard !difference.isTolerable else { return explained }
    explained.message += "; \(difference.sentence)"
    explained.remedy = .checkClock
    return explained
  }

  /// Validates the token of a refresh.
  ///
  /// Nothing but the token itself may refuse it: the refresh token may be used up by now.
  ///
  /// - Parameters:
  ///   - idToken: The token of the response.
  ///   - accessToken: The access token beside it.
  ///   - original: What is known of the account: the claims of the ID token before it.
  ///   - keys: The provider's keys, fetched before the refresh token was sent.
  /// - Returns: Whether the token replaces the one before it.
  /// - Throws: ``AuthenticationError`` when the token is about somebody else, or for another client.
  func validateRefreshed(
    _ idToken: Secret,
    beside accessToken: Secret,
    after original: IDTokenClaims,
    keys: JSONWebKeySet
  ) async throws -> IDToken.Refreshed {
    var rules = rules(beside: accessToken)
    rules.clockTolerance = Self.wrongClock
    do {
      let outcome = try IDToken.validateRefreshed(idToken, after: original, keys: keys, rules: rules)
      guard case .dropped(let error) = outcome, error.mayComeFromStaleKeys,
        case .keys(let newKeys)? = try? await ProviderDirectory(dependencies: dependencies).refetchKeys(of: metadata)
      else { return outcome }
      return try IDToken.validateRefreshed(idToken, after: original, keys: newKeys, rules: rules)
    } catch {
      throw AuthenticationError(wrapping: error)
    }
  }

  private func rules(beside accessToken: Secret) -> IDTokenRules {
    IDTokenRules(
      issuer: metadata.issuerRule,
      clientID: clientID,
      nonce: nil,
      now: dependencies.clock.now(),
      accessToken: accessToken,
      algorithms: IDTokenRules.algorithms(advertised: metadata.idTokenSigningAlgorithms)
    )
  }
}
