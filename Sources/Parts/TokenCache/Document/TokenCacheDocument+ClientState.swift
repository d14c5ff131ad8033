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
    self["signed_out", of: clientID].filter { Issuer.isNodeKey($0.key, of: issuer) }.values.compactMap(\.string)
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

  /// Stores the hashes of an account's rejected refresh tokens, or of a broker's rejected access tokens.
  ///
  /// The refresh tokens themselves stay, so that the account is still listed.
  package mutating func setRejectedHashes(_ hashes: [String], of key: AccountKey) {
    self["refused", key] = hashes.isEmpty ? nil : .array(hashes.map { .string($0) })
  }

  /// The hashes of an account's refresh tokens that the provider rejected, or of a broker's access tokens.
  package func rejectedHashes(of key: AccountKey) -> [String] {
    (self["refused", key]?.array ?? []).compactMap(\.string)
  }

  /// A client's value for one account.
  private subscript(name: String, key: AccountKey) -> JSONValue? {
    get { self[name, of: key.clientID][key.nodeKey] }
    set { self[name, of: key.clientID][key.nodeKey] = newValue }
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

/// The current account of a client at one authority (MSAL's principal account).
package struct Principal: Sendable, Equatable {
  package var homeAccountID: String
  package var username: String
  package var environment: String
  /// The path of the account's issuer; `nil` for Microsoft.
  package var issuerPath: String?
  /// When it became the current one.
  package var since: UnixTime

  package init(
    homeAccountID: String,
    username: String,
    environment: String,
    issuerPath: String? = nil,
    since: UnixTime = 0
  ) {
    (self.homeAccountID, self.username, self.environment) = (homeAccountID, username, environment)
    (self.issuerPath, self.since) = (issuerPath, since)
  }

  /// The account's issuer; `nil` for Microsoft.
  package var issuer: Issuer? { issuerPath.map { Issuer(environment: environment, realm: $0) } }
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
