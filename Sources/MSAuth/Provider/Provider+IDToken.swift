import MSAuthJOSE
import MSAuthTransport

/// Validates ID tokens with the provider's keys, which are cached between runs (OpenID Connect Core §3.1.3.7, §12.2).
extension Provider {
  /// Two days, in seconds: a wrong clock here must not lose a rotated refresh token; §12.2 detects an old ID token.
  private static let refreshClockTolerance: Int64 = 2 * 24 * 60 * 60

  /// Seconds between two fetches of a provider's keys: forged key IDs must not cause a stream of requests.
  static let refetchInterval: UnixTime = 60

  /// Validates the ID token of a sign-in; without a browser's request, as with a device code, there is no nonce.
  func validate(
    _ idToken: Secret,
    beside accessToken: Secret,
    _ authorization: AuthorizationRequest?
  ) async throws(AuthenticationError) -> IDTokenClaims {
    let keys = try await signingKeys()
    var rules = rules(beside: accessToken)
    (rules.nonce, rules.maxAge) = (authorization?.nonce, authorization?.maxAge)
    var rejection: TokenRejection
    do throws(TokenRejection) { return try IDToken.validate(idToken, keys: keys, rules: rules) } catch {
      rejection = error
    }
    // Keys rotate: a token that doesn't match the cached ones may match the current ones.
    if rejection.mayComeFromStaleKeys {
      guard let keys = try await refetchedKeys() else {
        throw AuthenticationError(rejection).with {
          $0.hint = "the provider may have changed its keys; try again in a minute"
        }
      }
      do throws(TokenRejection) { return try IDToken.validate(idToken, keys: keys, rules: rules) } catch {
        rejection = error
      }
    }
    throw await withClockHint(rejection)
  }

  /// Adds how wrong this computer's clock is, the most frequent cause of a timing error.
  private func withClockHint(_ error: TokenRejection) async -> AuthenticationError {
    var explained = AuthenticationError(error)
    guard [.expired, .notYetValid, .issuedInFuture].contains(error.rule) else { return explained }
    explained.hint = .checkClock
    let response = try? await dependencies.send(.json(metadata.jwksURI))
    guard let difference = response.flatMap({ ClockSkew($0, now: dependencies.clock.now()) }) else {
      return explained
    }
    if difference.isWithinTolerance {
      explained.hint = "\(.checkClock); if it is right, report this to the provider's administrator"
    } else {
      explained.message += "; \(difference.sentence)"
    }
    return explained
  }

  /// Validates the ID token of a refresh; the refresh token may be used up, so only a wrong identity is an error.
  func validateRefreshed(
    _ idToken: Secret,
    beside accessToken: Secret,
    after original: IDTokenClaims,
    keys: JSONWebKeySet
  ) throws(AuthenticationError) -> IDToken.Refreshed {
    var rules = rules(beside: accessToken)
    rules.clockTolerance = Self.refreshClockTolerance
    do throws(TokenRejection) {
      return try IDToken.validateRefreshed(idToken, after: original, keys: keys, rules: rules)
    } catch {
      throw AuthenticationError(error)
    }
  }

  private func rules(beside accessToken: Secret) -> IDTokenRules {
    var rules = IDTokenRules(issuer: metadata.issuerRule, clientID: clientID, now: context.now)
    rules.accessToken = accessToken
    rules.algorithms = IDTokenRules.algorithms(advertised: metadata.idTokenSigningAlgorithms)
    return rules
  }

  /// Returns the provider's keys, from the cache while they are fresh.
  func signingKeys() async throws(AuthenticationError) -> JSONWebKeySet {
    guard authority.subject.isAccount else { return .empty }
    if let keys = await cachedKeys(fetchedWithin: ProviderMetadata.freshness) { return keys }
    do {
      return try await fetchKeys()
    } catch {
      // Old keys are safe: they reject every token that they didn't sign.
      guard let keys = await cachedKeys() else { throw error }
      return keys
    }
  }

  func cachedKeys(fetchedWithin seconds: UnixTime? = nil) async -> JSONWebKeySet? {
    let cached = await dependencies.document(metadata.jwksURI, fetchedWithin: seconds)
    return cached.flatMap { try? JSONWebKeySet(parsing: $0) }
  }

  /// Fetches the provider's keys again, after a token named an unknown key.
  func refetchedKeys() async throws(AuthenticationError) -> JSONWebKeySet? {
    // An ordinary fetch sets no mark, since the keys may have changed right after it.
    let mark = metadata.jwksURI + "#refetched"
    guard await dependencies.document(mark, fetchedWithin: Self.refetchInterval) == nil else { return nil }
    await dependencies.keep(Array("{}".utf8), as: mark)
    return try await fetchKeys()
  }

  private func fetchKeys() async throws(AuthenticationError) -> JSONWebKeySet {
    let body = try await dependencies.fetch(metadata.jwksURI, what: "the provider's keys").body
    do {
      let keys = try JSONWebKeySet(parsing: body)
      await dependencies.keep(body, as: metadata.jwksURI)
      return keys
    } catch {
      let message = "the keys at \(metadata.jwksURI.printable()) can't be read: \(error)"
      throw AuthenticationError(.invalidResponse, message, reason: "key_set_invalid")
    }
  }
}
