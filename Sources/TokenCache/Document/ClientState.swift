import Core

// What MSAL for Apple's systems keeps in account metadata of its own; here one top-level node, which the other MSAL
// libraries carry along untouched.
extension TokenCacheDocument {
  /// The account of an issuer that a client last reported as the current one; nil is Microsoft.
  package func principal(for clientID: String, at issuer: Issuer? = nil) -> Principal? {
    let client = node(of: clientID)
    let node = issuer.map { client["principals"]?[$0.name] } ?? client["principal"]
    guard let node, let account = node.string("home_account_id") else { return nil }
    return Principal(
      homeAccountID: account,
      username: node.string("username") ?? "",
      environment: node.string("environment") ?? ""
    )
  }

  /// Remembers the current account of a client; nil when nobody is signed in.
  package mutating func setPrincipal(_ principal: Principal?, for clientID: String, at issuer: Issuer? = nil) {
    let node = principal.map { principal -> JSON in
      [
        "home_account_id": .string(principal.homeAccountID),
        "username": .string(principal.username),
        "environment": .string(principal.environment),
      ]
    }
    change(clientID) { client in
      guard let issuer else { return client["principal"] = node }
      var principals = client["principals"]?.object ?? [:]
      principals[issuer.name] = node
      client["principals"] = principals.isEmpty ? nil : .object(principals)
    }
  }

  /// The usernames of the issuer's accounts that were signed out of the client; nil is Microsoft.
  package func signedOut(of clientID: String, at issuer: Issuer? = nil) -> [String] {
    (node(of: clientID)["signed_out"]?.object ?? [:]).filter { Issuer.owns($0.key, issuer) }.values.compactMap(\.string)
  }

  /// Whether the account was signed out of the client, so that only a person can sign it in again.
  package func isSignedOut(homeAccountID: String, at issuer: Issuer? = nil, clientID: String) -> Bool {
    node(of: clientID)["signed_out"]?[Issuer.mark(of: homeAccountID, at: issuer)] != nil
  }

  /// Marks an account as signed out of a client.
  package mutating func markSignedOut(
    homeAccountID: String,
    at issuer: Issuer? = nil,
    username: String,
    clientID: String
  ) {
    change(clientID) { client in
      var marks = client["signed_out"]?.object ?? [:]
      marks[Issuer.mark(of: homeAccountID, at: issuer)] = .string(username)
      client["signed_out"] = .object(marks)
    }
  }

  /// Takes the mark away: the account signed in again.
  package mutating func clearSignedOut(homeAccountID: String, at issuer: Issuer? = nil, clientID: String) {
    guard isSignedOut(homeAccountID: homeAccountID, at: issuer, clientID: clientID) else { return }
    change(clientID) { client in
      var marks = client["signed_out"]?.object ?? [:]
      marks[Issuer.mark(of: homeAccountID, at: issuer)] = nil
      client["signed_out"] = marks.isEmpty ? nil : .object(marks)
    }
  }

  /// The redirect URI of an account's sign-in, if it was not the authority's usual one.
  package func redirectURI(homeAccountID: String, at issuer: Issuer? = nil, clientID: String) -> String? {
    node(of: clientID)["redirect_uris"]?[Issuer.mark(of: homeAccountID, at: issuer)]?.string
  }

  /// Remembers the redirect URI of an account's sign-in, for its sign-out; nil forgets it.
  package mutating func setRedirectURI(
    _ uri: String?,
    homeAccountID: String,
    at issuer: Issuer? = nil,
    clientID: String
  ) {
    guard uri != redirectURI(homeAccountID: homeAccountID, at: issuer, clientID: clientID) else { return }
    change(clientID) { client in
      var uris = client["redirect_uris"]?.object ?? [:]
      uris[Issuer.mark(of: homeAccountID, at: issuer)] = uri.map { .string($0) }
      client["redirect_uris"] = uris.isEmpty ? nil : .object(uris)
    }
  }

  func node(of clientID: String) -> JSON.Object {
    own["clients"]?[clientID]?.object ?? [:]
  }

  mutating func change(_ clientID: String, _ body: (inout JSON.Object) -> Void) {
    var client = node(of: clientID)
    body(&client)
    var clients = own["clients"]?.object ?? [:]
    clients[clientID] = client.isEmpty ? nil : .object(client)
    own["clients"] = clients.isEmpty ? nil : .object(clients)
  }
}
