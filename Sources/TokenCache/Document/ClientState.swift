package import MSAuthCore

// State that only msauth has, in one top-level node, which the other MSAL libraries keep.
extension TokenCacheDocument {
  /// The current accounts of a client by authority, the newest first.
  package func principals(of clientID: String) -> [(authority: String, principal: Principal)] {
    members("principals", of: clientID).sorted.compactMap { authority, node in
      node.string("home_account_id").map { account in
        let principal = Principal(
          homeAccountID: account,
          username: node.string("username") ?? "",
          environment: node.string("environment") ?? "",
          issuerPath: node.string("issuer_path"),
          since: node.time("since") ?? 0
        )
        return (authority, principal)
      }
    }
    .sorted { $0.principal.since > $1.principal.since }
  }

  /// The current account of a client at an authority.
  package func principal(for clientID: String, at authority: String) -> Principal? {
    principals(of: clientID).first { $0.authority.isIdentical(to: authority) }?.principal
  }

  /// Remembers the current account of a client at an authority; nil when there is none.
  package mutating func setPrincipal(_ principal: Principal?, for clientID: String, at authority: String) {
    let node = principal.map { principal in
      var node: JSONValue.Object = [
        "home_account_id": .string(principal.homeAccountID),
        "username": .string(principal.username),
        "environment": .string(principal.environment),
        "since": .time(principal.since),
      ]
      node["issuer_path"] = principal.issuerPath.map { .string($0) }
      return JSONValue.object(node)
    }
    change("principals", of: clientID) { $0[authority] = node }
  }

  /// The usernames of an issuer's accounts that were signed out of the client; nil for Microsoft.
  package func signedOut(of clientID: String, at issuer: Issuer? = nil) -> [String] {
    members("signed_out", of: clientID).filter { Issuer.owns($0.key, issuer) }.values.compactMap(\.string)
  }

  /// Whether the account was signed out of the client, so that it needs an interactive sign-in.
  package func isSignedOut(homeAccountID: String, at issuer: Issuer? = nil, clientID: String) -> Bool {
    signedOutAccounts(of: clientID, at: issuer).contains(homeAccountID)
  }

  /// The accounts of an issuer that were signed out of a client.
  package struct SignedOutAccounts: Sendable {
    fileprivate let marks: JSONValue.Object
    fileprivate let issuer: Issuer?

    /// Whether the account with that home account ID is one of them.
    package func contains(_ homeAccountID: String) -> Bool { marks[Issuer.mark(of: homeAccountID, at: issuer)] != nil }
  }

  /// The accounts that were signed out of the client, read once for any number of questions.
  package func signedOutAccounts(of clientID: String, at issuer: Issuer? = nil) -> SignedOutAccounts {
    SignedOutAccounts(marks: members("signed_out", of: clientID), issuer: issuer)
  }

  /// Marks an account as signed out of a client.
  package mutating func markSignedOut(
    homeAccountID: String,
    at issuer: Issuer? = nil,
    username: String,
    clientID: String
  ) {
    markSignedOut([(homeAccountID, issuer, username)], of: clientID)
  }

  /// Marks accounts as signed out of a client.
  package mutating func markSignedOut(
    _ accounts: [(homeAccountID: String, issuer: Issuer?, username: String)],
    of clientID: String
  ) {
    change("signed_out", of: clientID) { marks in
      for account in accounts {
        marks[Issuer.mark(of: account.homeAccountID, at: account.issuer)] = .string(account.username)
      }
    }
  }

  /// Forgets what a client remembers of accounts' sign-ins: their redirect URIs, and which tokens were refused.
  package mutating func forgetSignIns(
    _ accounts: [(homeAccountID: String, issuer: Issuer?)],
    of clientID: String
  ) -> [String?] {
    let marks = accounts.map { Issuer.mark(of: $0.homeAccountID, at: $0.issuer) }
    let redirectURIs = members("redirect_uris", of: clientID)
    for name in ["redirect_uris", "refused"] {
      change(name, of: clientID) { members in
        for mark in marks { members[mark] = nil }
      }
    }
    return marks.map { redirectURIs[$0]?.string }
  }

  /// Takes the mark away: the account signed in again.
  package mutating func clearSignedOut(homeAccountID: String, at issuer: Issuer? = nil, clientID: String) {
    guard isSignedOut(homeAccountID: homeAccountID, at: issuer, clientID: clientID) else { return }
    change("signed_out", of: clientID) { $0[Issuer.mark(of: homeAccountID, at: issuer)] = nil }
  }

  /// The redirect URI of an account's sign-in, if it was not the authority's usual one.
  package func redirectURI(homeAccountID: String, at issuer: Issuer? = nil, clientID: String) -> String? {
    members("redirect_uris", of: clientID)[Issuer.mark(of: homeAccountID, at: issuer)]?.string
  }

  /// Remembers the redirect URI of an account's sign-in, for its sign-out; nil forgets it.
  package mutating func setRedirectURI(
    _ uri: String?,
    homeAccountID: String,
    at issuer: Issuer? = nil,
    clientID: String
  ) {
    guard uri != redirectURI(homeAccountID: homeAccountID, at: issuer, clientID: clientID) else { return }
    change("redirect_uris", of: clientID) {
      $0[Issuer.mark(of: homeAccountID, at: issuer)] = uri.map { .string($0) }
    }
  }

  /// Stores the hashes of an account's rejected refresh tokens; the tokens stay, since they list the account.
  package mutating func setRefused(
    _ hashes: [String],
    homeAccountID: String,
    at issuer: Issuer? = nil,
    clientID: String
  ) {
    guard hashes != refused(homeAccountID: homeAccountID, at: issuer, clientID: clientID) else { return }
    change("refused", of: clientID) {
      $0[Issuer.mark(of: homeAccountID, at: issuer)] = hashes.isEmpty ? nil : .array(hashes.map { .string($0) })
    }
  }

  /// The hashes of an account's refresh tokens that the provider refused.
  package func refused(homeAccountID: String, at issuer: Issuer? = nil, clientID: String) -> [String] {
    let hashes = members("refused", of: clientID)[Issuer.mark(of: homeAccountID, at: issuer)]?.array
    return (hashes ?? []).compactMap(\.string)
  }

  /// The members of an object in a client's node.
  func members(_ name: String, of clientID: String) -> JSONValue.Object {
    own["clients"]?[clientID]?[name]?.object ?? [:]
  }

  /// Changes an object in a client's node; one without members is removed.
  mutating func change(_ name: String, of clientID: String, _ body: (inout JSONValue.Object) -> Void) {
    let before = members(name, of: clientID)
    var members = before
    body(&members)
    guard members != before else { return }
    var clients = own["clients"]?.object ?? [:]
    var client = clients[clientID]?.object ?? [:]
    client[name] = members.isEmpty ? nil : .object(members)
    clients[clientID] = client.isEmpty ? nil : .object(client)
    own["clients"] = clients.isEmpty ? nil : .object(clients)
  }
}

/// Requests that failed a moment ago and are not worth sending again yet, shared by all processes on the cache.
extension TokenCacheDocument {
  /// A loop over many accounts and scopes must not make the cache grow.
  private static let maximumCount = 32

  /// What is remembered of a failure.
  package func throttled(_ key: String, now: UnixTime, maximumDuration: Int64) -> (failure: String, until: UnixTime)? {
    guard let mark = own["throttled"]?[key], let until = mark.time("until"), until > now,
      until - now <= maximumDuration,
      mark.time("noted") ?? 0 <= now + Self.clockSkew, let failure = mark.string("failure")
    else { return nil }
    return (failure, until)
  }

  /// Remembers a failure; marks whose time is over go.
  package mutating func throttle(_ key: String, _ failure: String, until: UnixTime, now: UnixTime) {
    var marks = (own["throttled"]?.object ?? [:]).filter { $0.value.time("until") ?? 0 > now }
    if marks.count >= Self.maximumCount,
      let oldest = marks.min(by: { $0.value.time("until") ?? 0 < $1.value.time("until") ?? 0 })
    {
      marks[oldest.key] = nil
    }
    marks[key] = ["noted": .time(now), "until": .time(until), "failure": .string(failure)]
    own["throttled"] = .object(marks)
  }

  /// Forgets all failures after a sign-in.
  package mutating func clearThrottled() { own["throttled"] = nil }
}
