// What MSAL for Apple's systems keeps in account metadata of its own; here one top-level node, which the other MSAL
// libraries carry along untouched.
extension TokenCacheDocument {
  /// The account that a client last told to be the current one.
  package func principal(for clientID: String) -> Principal? {
    guard let node = node(of: clientID)["principal"], let account = node.text("home_account_id") else { return nil }
    return Principal(
      homeAccountID: account,
      username: node.text("username") ?? "",
      environment: node.text("environment") ?? ""
    )
  }

  /// Remembers the current account of a client; nil when nobody is signed in.
  package mutating func setPrincipal(_ principal: Principal?, for clientID: String) {
    change(clientID) { client in
      client["principal"] = principal.map {
        [
          "home_account_id": .string($0.homeAccountID),
          "username": .string($0.username),
          "environment": .string($0.environment),
        ]
      }
    }
  }

  /// The usernames of the accounts that were signed out of the client, by home account id.
  package func signedOut(of clientID: String) -> [String: String] {
    (node(of: clientID)["signed_out"]?.object ?? [:]).compactMapValues { $0.string }
  }

  /// Whether the account was signed out of the client, so that only a person can sign it in again.
  package func isSignedOut(homeAccountID: String, clientID: String) -> Bool {
    node(of: clientID)["signed_out"]?[homeAccountID] != nil
  }

  /// Marks an account as signed out of a client.
  package mutating func markSignedOut(homeAccountID: String, username: String, clientID: String) {
    change(clientID) { client in
      var marks = client["signed_out"]?.object ?? [:]
      marks[homeAccountID] = .string(username)
      client["signed_out"] = .object(marks)
    }
  }

  /// Takes the mark away: the account signed in again.
  package mutating func clearSignedOut(homeAccountID: String, clientID: String) {
    guard isSignedOut(homeAccountID: homeAccountID, clientID: clientID) else { return }
    change(clientID) { client in
      var marks = client["signed_out"]?.object ?? [:]
      marks[homeAccountID] = nil
      client["signed_out"] = marks.isEmpty ? nil : .object(marks)
    }
  }

  func node(of clientID: String) -> [String: CacheJSON] {
    own["clients"]?[clientID]?.object ?? [:]
  }

  mutating func change(_ clientID: String, _ body: (inout [String: CacheJSON]) -> Void) {
    var client = node(of: clientID)
    body(&client)
    var clients = own["clients"]?.object ?? [:]
    clients[clientID] = client.isEmpty ? nil : .object(client)
    own["clients"] = clients.isEmpty ? nil : .object(clients)
  }
}
