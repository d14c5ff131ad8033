package import MSAuthCore

// State that only msauth uses, in one top-level node, which the other MSAL libraries preserve.
extension TokenCacheDocument {
  /// A client's current accounts by authority, newest first.
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

  package func principal(for clientID: String, at authority: String) -> Principal? {
    principals(of: clientID).first { $0.authority.isIdentical(to: authority) }?.principal
  }

  /// Remembers the current account of a client at an authority; nil if there is none.
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
    mark("signed_out", homeAccountID, issuer, clientID) != nil
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

  /// Removes the redirect URIs and the hashes of rejected tokens of accounts, and returns the redirect URIs.
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

  /// Removes the mark of an account that signed in again.
  package mutating func clearSignedOut(homeAccountID: String, at issuer: Issuer? = nil, clientID: String) {
    setMark("signed_out", homeAccountID, issuer, clientID, nil)
  }

  /// The redirect URI of an account's sign-in, if it was not the authority's usual one.
  package func redirectURI(homeAccountID: String, at issuer: Issuer? = nil, clientID: String) -> String? {
    mark("redirect_uris", homeAccountID, issuer, clientID)?.string
  }

  /// Remembers the redirect URI of an account's sign-in, for its sign-out; nil forgets it.
  package mutating func setRedirectURI(
    _ uri: String?,
    homeAccountID: String,
    at issuer: Issuer? = nil,
    clientID: String
  ) {
    setMark("redirect_uris", homeAccountID, issuer, clientID, uri.map { .string($0) })
  }

  /// Stores the hashes of an account's rejected refresh tokens; the tokens stay, since they list the account.
  package mutating func setRefused(
    _ hashes: [String],
    homeAccountID: String,
    at issuer: Issuer? = nil,
    clientID: String
  ) {
    let value = hashes.isEmpty ? nil : JSONValue.array(hashes.map { .string($0) })
    setMark("refused", homeAccountID, issuer, clientID, value)
  }

  /// The hashes of an account's refresh tokens that the provider rejected.
  package func refused(homeAccountID: String, at issuer: Issuer? = nil, clientID: String) -> [String] {
    (mark("refused", homeAccountID, issuer, clientID)?.array ?? []).compactMap(\.string)
  }

  /// What a client's node holds for one account.
  private func mark(_ name: String, _ account: String, _ issuer: Issuer?, _ clientID: String) -> JSONValue? {
    members(name, of: clientID)[Issuer.mark(of: account, at: issuer)]
  }

  private mutating func setMark(
    _ name: String,
    _ account: String,
    _ issuer: Issuer?,
    _ clientID: String,
    _ value: JSONValue?
  ) {
    change(name, of: clientID) { $0[Issuer.mark(of: account, at: issuer)] = value }
  }

  /// The members of an object in a client's node.
  func members(_ name: String, of clientID: String) -> JSONValue.Object {
    own[object: "clients"][object: clientID][object: name]
  }

  /// Changes an object in a client's node, and removes it if it is empty.
  mutating func change(_ name: String, of clientID: String, _ body: (inout JSONValue.Object) -> Void) {
    let before = members(name, of: clientID)
    var members = before
    body(&members)
    guard members != before else { return }
    own[object: "clients"][object: clientID][object: name] = members
  }
}

extension JSONValue.Object {
  /// An object among the members; one without members is removed.
  subscript(object name: String) -> JSONValue.Object {
    get { self[name]?.object ?? [:] }
    set { self[name] = newValue.isEmpty ? nil : .object(newValue) }
  }
}

/// Recent failures, shared by all processes that use the cache, so that a request isn't repeated too soon.
extension TokenCacheDocument {
  /// A loop over many accounts and scopes must not enlarge the cache.
  private static let maximumCount = 32

  /// A stored failure that still applies.
  package func throttled(_ key: String, now: UnixTime, maximumDuration: Int64) -> (failure: String, until: UnixTime)? {
    guard let mark = own["throttled"]?[key], let until = mark.time("until"), until > now,
      until - now <= maximumDuration,
      mark.time("noted") ?? 0 <= now + Self.clockSkew, let failure = mark.string("failure")
    else { return nil }
    return (failure, until)
  }

  /// Stores a failure and removes expired ones.
  package mutating func throttle(_ key: String, _ failure: String, until: UnixTime, now: UnixTime) {
    var marks = own[object: "throttled"].filter { $0.value.time("until") ?? 0 > now }
    if marks.count >= Self.maximumCount,
      let oldest = marks.min(by: { $0.value.time("until") ?? 0 < $1.value.time("until") ?? 0 })
    {
      marks[oldest.key] = nil
    }
    marks[key] = ["noted": .time(now), "until": .time(until), "failure": .string(failure)]
    own[object: "throttled"] = marks
  }

  /// Removes all failures after a sign-in.
  package mutating func clearThrottled() { own["throttled"] = nil }
}
