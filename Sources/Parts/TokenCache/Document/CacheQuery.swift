package import MSAuthCore

/// Selects the entries that meet every condition that is set.
package struct CacheQuery: Sendable {
  /// The home account ID; `nil` for every account.
  package var account: String?
  /// The names of the provider's host, in any case.
  package var environments: [String]
  /// The issuer on that host; `nil` for Microsoft, whose account IDs are unique among all tenants.
  package var issuer: Issuer?
  /// The client ID; `nil` for every client.
  var clientID: String?
  /// The tenants of access and ID tokens, the preferred one first, in any case; `nil` for all.
  package var realms: [String]?

  package init(
    account: String? = nil,
    environments: [String],
    issuer: Issuer? = nil,
    clientID: String? = nil,
    realms: [String]? = nil
  ) {
    (self.account, self.environments, self.issuer) = (account, environments, issuer)
    (self.clientID, self.realms) = (clientID, realms)
  }

  /// Scopes as they are compared: case-sensitive (RFC 6749 §3.3), except at Microsoft, which changes case.
  func comparable(_ scopes: [String]) -> Set<String> { Set(issuer == nil ? scopes.map { $0.lowercased() } : scopes) }

  /// This query for one account.
  package func with(account: String) -> CacheQuery {
    var query = self
    query.account = account
    return query
  }

  /// Whether the other query finds the entries of this one, which is for one account of one client.
  package func isCovered(by other: CacheQuery) -> Bool {
    environments.contains { environment in
      let entry = JSONValue(omittingNil: [
        "home_account_id": account.map { .string($0) }, "environment": .string(environment),
        "realm": issuer.map { .string($0.realm) }, "client_id": clientID.map { .string($0) },
      ])
      return entry.matches(other)
    }
  }

  /// This query for every client.
  package var forEveryClient: CacheQuery {
    var query = self
    query.clientID = nil
    return query
  }
}

extension JSONValue {
  /// Whether the entry meets the query's conditions, except the one on realms.
  func matches(_ query: CacheQuery) -> Bool {
    query.account.map { has("home_account_id", $0) } ?? true && isIn(query.environments) && matches(query.issuer)
      && isOfClient(of: query)
  }

  func isOfClient(of query: CacheQuery) -> Bool { query.clientID.map { matches(client: $0) } ?? true }

  func isInRealm(of query: CacheQuery) -> Bool { query.realms?.contains { isIn(realm: $0) } ?? true }
}

/// How long an access token must still be valid to be used.
package enum RequiredValidity: Sendable, Equatable {
  /// That many seconds.
  case seconds(Int64)
  /// That many seconds, or half its lifetime if that is less: some providers' tokens are valid for five minutes.
  case secondsOrHalfLife(Int64)

  /// Whether a token is valid for that long.
  package func isMet(expiresOn: UnixTime, cachedAt: UnixTime, now: UnixTime) -> Bool {
    switch self {
    case .seconds(let seconds): expiresOn > now + seconds
    case .secondsOrHalfLife(let seconds): expiresOn > now + min(seconds, max(0, expiresOn - cachedAt) / 2)
    }
  }
}
