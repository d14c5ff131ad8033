import Core

/// Whose entries of the cache are meant: those that meet every condition that is set.
package struct CacheQuery: Sendable, Hashable {
  /// The home account ID; nil for every account.
  package var account: String?
  /// The names of the provider's host, in any case of letters.
  package var environments: [String]
  /// The issuer on that host; nil for Microsoft, whose account IDs are unique among all tenants.
  package var issuer: Issuer?
  /// The client ID; nil for every client.
  package var clientID: String?
  /// The tenants that an access or ID token may stand under, the preferred one first, in any case of letters; nil for all.
  ///
  /// Refresh tokens and accounts are found under every realm.
  package var realms: [String]?

  package init(
    account: String? = nil,
    environments: [String],
    issuer: Issuer? = nil,
    clientID: String? = nil,
    realms: [String]? = nil
  ) {
    self.account = account
    self.environments = environments
    self.issuer = issuer
    self.clientID = clientID
    self.realms = realms
  }

  /// The same for one account.
  package func with(account: String) -> CacheQuery {
    var query = self
    query.account = account
    return query
  }

  /// The same for every client.
  package var forEveryClient: CacheQuery {
    var query = self
    query.clientID = nil
    return query
  }
}

extension JSON {
  /// Whether the entry meets the query's conditions, except the one on realms.
  func matches(_ query: CacheQuery) -> Bool {
    query.account.map { has("home_account_id", $0) } ?? true && isIn(query.environments) && matches(query.issuer)
      && query.clientID.map { matches(client: $0) } ?? true
  }

  /// Whether the entry stands under one of the query's realms.
  func isInRealm(of query: CacheQuery) -> Bool { query.realms?.contains { isIn(realm: $0) } ?? true }
}
