package import MSAuthCore

// State that only msauth uses, in one top-level node, which the other MSAL libraries preserve.
extension TokenCacheDocument {
  /// A client's current accounts by authority, newest first.
  package func principals(of clientID: String) -> [(authority: String, principal: Principal)] {
    self["principals", of: clientID].sorted
      .compactMap { authority, node in Principal(node).map { (authority, $0) } }
      .sorted { $0.principal.since > $1.principal.since }
  }

  package func principal(for clientID: String, at authority: String) -> Principal? {
    self["principals", of: clientID][authority].flatMap { Principal($0) }
  }

  /// Remembers the current account of a client at an authority; `nil` if there is none.
  package mutating func setPrincipal(_ principal: Principal?, for clientID: String, at authority: String) {
    self["principals", of: clientID][authority] = principal?.node
  }

  /// The usernames of an issuer's accounts that were signed out of the client; `nil` for Microsoft.
  package func signedOut(of clientID: String, at issuer: Issuer? = nil) -> [String] {
    self["signed_out", of: clientID].filter { Issuer.owns($0.key, issuer) }.values.compactMap(\.string)
  }

  /// Whether the account was signed out of the client, so that it needs an interactive sign-in.
  package func isSignedOut(_ key: AccountKey) -> Bool { self["signed_out", key] != nil }

  package mutating func markSignedOut(_ key: AccountKey, username: String) {
    self["signed_out", key] = .string(username)
  }

  /// Removes and returns the redirect URI of the sign-in; also removes the hashes of rejected tokens.
  package mutating func forgetSignIn(_ key: AccountKey) -> String? {
    defer { for name in ["redirect_uris", "refused"] { self[name, key] = nil } }
    return self["redirect_uris", key]?.string
  }

  /// Removes what a sign-in makes obsolete, and stores its redirect URI for the sign-out unless it is the default.
  package mutating func recordSignIn(_ key: AccountKey, redirectURI: String? = nil) {
    for name in ["signed_out", "refused"] { self[name, key] = nil }
    self["redirect_uris", key] = redirectURI.map { .string($0) }
  }

  /// Stores the hashes of an account's rejected refresh tokens, which stay, so that the account is still listed; or of a
  /// broker's rejected access tokens.
  package mutating func setRefused(_ hashes: [String], _ key: AccountKey) {
    self["refused", key] = hashes.isEmpty ? nil : .array(hashes.map { .string($0) })
  }

  /// The hashes of an account's refresh tokens that the provider rejected, or of a broker's access tokens.
  package func refused(_ key: AccountKey) -> [String] { (self["refused", key]?.array ?? []).compactMap(\.string) }

  /// A client's value for one account.
  private subscript(name: String, key: AccountKey) -> JSONValue? {
    get { self[name, of: key.clientID][key.mark] }
    set { self[name, of: key.clientID][key.mark] = newValue }
  }

  /// An object in a client's node, which exists only while it has members.
  subscript(name: String, of clientID: String) -> JSONValue.Object {
    get { state[object: "clients"][object: clientID][object: name] }
    set {
      guard newValue != self[name, of: clientID] else { return }
      state[object: "clients"][object: clientID][object: name] = newValue
    }
  }
}

extension JSONValue.Object {
  /// An object among the members; one without members is removed.
  subscript(object name: String) -> JSONValue.Object {
    get { self[name]?.object ?? [:] }
    set { self[name] = newValue.isEmpty ? nil : .object(newValue) }
  }
}

extension Principal {
  fileprivate init?(_ node: JSONValue) {
    guard let account = node.string("home_account_id") else { return nil }
    self.init(
      homeAccountID: account,
      username: node.string("username") ?? "",
      environment: node.string("environment") ?? "",
      issuerPath: node.string("issuer_path"),
      since: node.time("since") ?? 0
    )
  }

  fileprivate var node: JSONValue {
    JSONValue(omittingNil: [
      "home_account_id": .string(homeAccountID),
      "username": .string(username),
      "environment": .string(environment),
      "issuer_path": issuerPath.map { .string($0) },
      "since": .time(since),
    ])
  }
}

/// Recent failures, shared by all processes that use the cache, so that a request isn't repeated too soon.
extension TokenCacheDocument {
  /// A loop over many accounts and scopes must not enlarge the cache.
  private static let maximumCount = 32

  /// A stored failure that still applies.
  package func throttled(_ key: String, now: UnixTime, maximumDuration: Int64) -> (failure: String, until: UnixTime)? {
    guard let mark = state["throttled"]?[key], let until = mark.time("until"), until > now,
      until - now <= maximumDuration,
      mark.time("noted") ?? 0 <= now + Self.clockSkew, let failure = mark.string("failure")
    else { return nil }
    return (failure, until)
  }

  /// Stores a failure and removes expired ones.
  package mutating func throttle(_ key: String, _ failure: String, until: UnixTime, now: UnixTime) {
    var marks = state[object: "throttled"].filter { $0.value.time("until") ?? 0 > now }
    if marks.count >= Self.maximumCount,
      let oldest = marks.min(by: { $0.value.time("until") ?? 0 < $1.value.time("until") ?? 0 })
    {
      marks[oldest.key] = nil
    }
    marks[key] = ["noted": .time(now), "until": .time(until), "failure": .string(failure)]
    state[object: "throttled"] = marks
  }

  /// Removes all failures after a sign-in.
  package mutating func clearThrottled() { state["throttled"] = nil }
}
