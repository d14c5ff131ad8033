package import MSAuthCore

/// A key that tokens of a client are bound to (RFC 9449), as the cache holds it.
package struct BindingKeyEntry: Sendable, Equatable {
  /// The key's thumbprint, by which tokens name it.
  package var keyID: String
  /// The issuer of the tokens: a key shared by two providers would link the user's accounts.
  var issuer: String
  package var privateKey: Secret

  package init(keyID: String, issuer: String, privateKey: Secret) {
    (self.keyID, self.issuer, self.privateKey) = (keyID, issuer, privateKey)
  }
}

// Keys are stored by thumbprint, usually one per client and issuer; two concurrent sign-ins may each add one.
extension TokenCacheDocument {
  /// The key of that thumbprint.
  package func bindingKey(_ keyID: String, of clientID: String) -> BindingKeyEntry? {
    guard let key = self["keys", of: clientID][keyID], let issuer = key.string("issuer"),
      let privateKey = key.nonEmpty("private_key")
    else { return nil }
    return BindingKeyEntry(keyID: keyID, issuer: issuer, privateKey: Secret(privateKey))
  }

  /// The keys of a client for an issuer, in the order of their thumbprints, so that every process chooses the same.
  package func bindingKeys(of clientID: String, for issuer: String) -> [BindingKeyEntry] {
    self["keys", of: clientID].sorted
      .compactMap { bindingKey($0.key, of: clientID) }
      .filter { $0.issuer.utf8.elementsEqual(issuer.utf8) }
  }

  /// Stores a key, which stays while a token is bound to it.
  package mutating func keep(_ key: BindingKeyEntry, of clientID: String) {
    self["keys", of: clientID][key.keyID] = [
      "issuer": .string(key.issuer), "private_key": .string(key.privateKey.revealed),
    ]
  }

  /// Removes every client's keys that no token is bound to anymore.
  package mutating func removeUnusedBindingKeys() {
    let used = Set([Kind.accessToken, .refreshToken].flatMap { ordered($0).compactMap { $0.nonEmpty("key_id") } })
    for clientID in state["clients"]?.object?.keys ?? [] {
      self["keys", of: clientID] = self["keys", of: clientID].filter { used.contains($0.key) }
    }
  }

  /// Whether the cache holds the key that an access token is bound to.
  func holdsKey(of entry: JSONValue, for clientID: String) -> Bool {
    entry.boundKeyID.flatMap { bindingKey($0, of: clientID) } != nil
  }
}

extension JSONValue {
  /// The key of its client that an access token is bound to.
  var boundKeyID: String? { nonEmpty("token_type")?.lowercased() == "dpop" ? nonEmpty("key_id") : nil }
}
