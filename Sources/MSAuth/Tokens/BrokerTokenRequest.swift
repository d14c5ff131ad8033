import MSAuthBroker
import MSAuthJOSE

/// Requests tokens from the broker, and checks that they are for the account, the tenant and the client of the request: any
/// process of the session can own the broker's name on the bus.
///
/// Works offline, unless the tenant is named by a domain whose metadata isn't cached. The ID token's signature is checked if
/// the provider's keys are cached.
struct BrokerTokenRequest: Sendable {
  /// Flaws that leave an ID token's claims usable: the broker may return a cached one, from another access token's response.
  private static let tolerable: Set<TokenRejection.Rule> = [
    .expired, .notYetValid, .issuedInFuture, .accessTokenMismatch, .refreshedIssuedEarlier,
    .refreshedNonceChanged,
  ]

  let provider: Provider
  private let request: ResolvedRequest
  private let keys: JSONWebKeySet?

  init(
    _ request: ResolvedRequest,
    at authority: Authority,
    _ context: Context,
    _ correlationID: String
  ) async throws(AuthenticationError) {
    let dependencies = context.dependencies
    var metadata = await dependencies.cachedMetadata(of: authority)
    // Only the metadata has the ID of a tenant that is named by its domain; without it no token can be checked.
    if metadata == nil, authority.namesTenantByDomain { metadata = try await dependencies.metadata(of: authority) }
    let standard = authority.standardMetadata
    let known = if let metadata { metadata } else { try ProviderMetadata(parsing: standard, for: authority) }
    provider = Provider(context, at: authority, metadata: known, correlationID: correlationID)
    keys = await provider.cachedKeys()
    self.request = request
  }

  /// Requests tokens; a silent request is for one of the broker's accounts, and `known` is what the store has of it.
  func tokens(
    _ method: Broker.Method,
    _ parameters: JSONValue,
    of account: BrokerAccount? = nil,
    known: (account: Account, claims: IDTokenClaims)? = nil,
    within timeout: Duration
  ) async throws(AuthenticationError) -> ValidatedTokens {
    // 1. Call the broker.
    let (context, id) = (provider.context, provider.correlationID)
    let body: JSONValue
    let owner: BrokerAccount?
    do throws(BrokerFailure) {
      let response = try await context.broker.call(method, parameters, correlationID: id, within: timeout)
      body = try BrokerResponse.tokens(response, now: context.now)
      // Himmelblau's response has no account.
      owner = BrokerAccount(response["brokerTokenResponse"]?["account"])
    } catch {
      throw error.explained(of: method)
    }
    let response = EndpointResponse(status: 200, body: body.serialized())
    let tokens = try TokenResponse(response, type: .bearer, requestedScopes: request.scopes, now: context.now)

    // 2. Check whose tokens they are.
    guard let idToken = tokens.idToken, let accountID = tokens.accountID else {
      throw BrokerFailure(.unusable, "its ID token or its account is invalid").error
    }
    guard [account, owner].allSatisfy({ $0?.hasID(accountID) != false }) else {
      throw foreign("account", .accountMismatch)
    }
    let original = known?.claims ?? IDTokenClaims([:])
    let claims = try await claims(of: idToken, beside: tokens.accessToken, after: original)
    try checkSubject(of: claims, tokens.accessToken, accountID, account)

    // 3. The ID token may lack the username.
    var user = known?.account ?? owner?.account(at: provider.authority)
    if known == nil { user?.identifier = accountID }
    return ValidatedTokens(tokens, claims: claims, for: request, from: provider, of: user, isFromBroker: true)
  }

  /// Checks that both tokens are for the account's user in the requested tenant, and the access token for this client.
  private func checkSubject(
    of claims: IDTokenClaims,
    _ accessToken: Secret,
    _ accountID: String,
    _ account: BrokerAccount?
  ) throws(AuthenticationError) {
    let authority = provider.authority
    let home = Account.homeTenant(in: accountID)
    let named = authority.namesTenantByID ? authority.tenant : provider.metadata.tenantID
    guard let tenant = authority.isTenantless ? home : named else {
      throw BrokerFailure(.unusable, "its token's tenant can't be checked").error
    }
    guard claims.tenantID?.lowercased() == tenant else { throw foreign("tenant", "tenant_mismatch") }
    // The user's object ID in that tenant; in the home tenant the account's ID has it.
    let guest = account.flatMap {
      $0.realm.lowercased() == tenant && !$0.localAccountID.isEmpty ? $0.localAccountID : nil
    }
    let objectID = tenant == home ? Account.homeParts(of: accountID)?.objectID : guest ?? claims.objectID
    guard claims.isAbout(user: objectID) else { throw foreign("account", .accountMismatch) }
    // Most resources' access tokens are readable.
    if let access = try? IDToken.unverifiedClaims(accessToken) {
      guard access.isAbout(user: objectID) else { throw foreign("account", .accountMismatch) }
      guard access.isOrLacks("tid", tenant) else { throw foreign("tenant", "tenant_mismatch") }
      guard ["appid", "azp"].allSatisfy({ access.isOrLacks($0, provider.clientID) }) else {
        throw foreign("application", "client_mismatch")
      }
    }
  }

  private func claims(
    of idToken: Secret,
    beside accessToken: Secret,
    after original: IDTokenClaims
  ) async throws(AuthenticationError) -> IDTokenClaims {
    func validated(_ keys: JSONWebKeySet?) throws(AuthenticationError) -> IDToken.Refreshed {
      try provider.validateRefreshed(idToken, beside: accessToken, after: original, keys: keys ?? .empty)
    }
    var (outcome, isOffline) = (try validated(keys), false)
    if keys != nil, case .dropped(let rejection) = outcome, rejection.mayComeFromStaleKeys {
      do throws(AuthenticationError) {
        if let keys = try await provider.refetchedKeys() { outcome = try validated(keys) }
      } catch {
        guard error.code == .providerUnreachable else { throw error }
        isOffline = true
      }
    }
    switch outcome {
    case .accepted(let claims): return claims
    case .dropped(let rejection):
      let isTolerable = Self.tolerable.contains(rejection.rule) || isOffline && rejection.rule == .keyUnknown
      guard keys == nil || isTolerable else { throw AuthenticationError(rejection) }
      do throws(TokenRejection) { return try IDToken.unverifiedClaims(idToken) } catch {
        throw AuthenticationError(error)
      }
    }
  }

  private func foreign(_ what: String, _ reason: AuthenticationError.Reason) -> AuthenticationError {
    var error = BrokerFailure(.unusable, "its token is for another \(what)").error
    error.reason = reason
    return error
  }
}

extension IDTokenClaims {
  fileprivate func isAbout(user objectID: String?) -> Bool { objectID.map { isOrLacks("oid", $0) } ?? true }

  /// Microsoft's IDs are GUIDs.
  fileprivate func isOrLacks(_ name: String, _ value: String) -> Bool {
    all[name]?.string.map { $0.lowercased() == value.lowercased() } ?? true
  }
}
