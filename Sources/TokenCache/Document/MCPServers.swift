package import MSAuthCore

/// What is remembered of an MCP server beside its tokens.
package struct MCPServerEntry: Sendable, Equatable {
  package var url: String
  /// The resource that its tokens are for (RFC 8707).
  package var resource: String
  package var issuer: String
  package var clientID: String
  package var clientSecret: Secret?
  package var redirectURI: String?
  /// The kind of authority whose accounts get the tokens; `nil` if the session is the resource's own.
  package var accountKind: String?
  /// The home account ID that signed in.
  package var accountID: String?
  /// The scopes that were requested.
  package var scopes: [String] = []
  /// Identifiers of scopes (`api://…`) that the user confirmed.
  package var confirmedIdentifiers: [String] = []

  package init(url: String, resource: String, issuer: String, clientID: String) {
    (self.url, self.resource, self.issuer, self.clientID) = (url, resource, issuer, clientID)
  }

  fileprivate init?(_ url: String, _ node: JSONValue) {
    guard let resource = node.filled("resource"), let issuer = node.filled("issuer"),
      let clientID = node.filled("client_id")
    else { return nil }
    self.init(url: url, resource: resource, issuer: issuer, clientID: clientID)
    clientSecret = node.filled("client_secret").map { Secret($0) }
    redirectURI = node.filled("redirect_uri")
    accountKind = node.filled("account_kind")
    accountID = node.filled("home_account_id")
    scopes = (node["scopes"]?.array ?? []).compactMap(\.string)
    confirmedIdentifiers = (node["confirmed"]?.array ?? []).compactMap(\.string)
  }

  fileprivate var node: JSONValue {
    JSONValue(omittingNil: [
      "resource": .string(resource), "issuer": .string(issuer), "client_id": .string(clientID),
      "client_secret": clientSecret.map { .string($0.revealed) }, "redirect_uri": redirectURI.map { .string($0) },
      "account_kind": accountKind.map { .string($0) }, "home_account_id": accountID.map { .string($0) },
      "scopes": .array(scopes.map { .string($0) }),
      "confirmed": confirmedIdentifiers.isEmpty ? nil : .array(confirmedIdentifiers.map { .string($0) }),
    ])
  }
}

/// A client that registered itself at an issuer, for the servers that name it.
package struct RegistrationEntry: Sendable, Equatable {
  package let clientID: String
  package var clientSecret: Secret?
  /// Registered with its port, since some issuers compare it.
  package let redirectURI: String
  package var managementURL: String?
  package var managementToken: Secret?

  package init(clientID: String, redirectURI: String) { (self.clientID, self.redirectURI) = (clientID, redirectURI) }
}

extension TokenCacheDocument {
  private static let mcp = "mcp"

  /// The servers in the order of their URLs.
  package var mcpServers: [MCPServerEntry] {
    (own[Self.mcp]?["servers"]?.object ?? [:]).sorted.compactMap { MCPServerEntry($0.key, $0.value) }
  }

  package func mcpServer(_ url: String) -> MCPServerEntry? {
    own[Self.mcp]?["servers"]?[url].flatMap { MCPServerEntry(url, $0) }
  }

  package mutating func setMCPServer(_ url: String, _ entry: MCPServerEntry?) { setMCP("servers", url, entry?.node) }

  /// The client that registered itself at an issuer.
  package func registration(at issuer: String) -> RegistrationEntry? {
    guard let node = own[Self.mcp]?["registrations"]?[issuer], let clientID = node.filled("client_id"),
      let redirectURI = node.filled("redirect_uri")
    else { return nil }
    var entry = RegistrationEntry(clientID: clientID, redirectURI: redirectURI)
    entry.clientSecret = node.filled("client_secret").map { Secret($0) }
    entry.managementURL = node.filled("registration_client_uri")
    entry.managementToken = node.filled("registration_access_token").map { Secret($0) }
    return entry
  }

  package mutating func setRegistration(_ entry: RegistrationEntry?, at issuer: String) {
    let node = entry.map { entry in
      JSONValue(omittingNil: [
        "client_id": .string(entry.clientID), "client_secret": entry.clientSecret.map { .string($0.revealed) },
        "redirect_uri": .string(entry.redirectURI),
        "registration_client_uri": entry.managementURL.map { .string($0) },
        "registration_access_token": entry.managementToken.map { .string($0.revealed) },
      ])
    }
    setMCP("registrations", issuer, node)
  }

  private mutating func setMCP(_ map: String, _ key: String, _ node: JSONValue?) {
    var mcp = own[Self.mcp]?.object ?? [:]
    var members = mcp[map]?.object ?? [:]
    members[key] = node
    mcp[map] = members.isEmpty ? nil : .object(members)
    own[Self.mcp] = mcp.isEmpty ? nil : .object(mcp)
  }

  /// Removes what is known of a client that is no longer registered.
  package mutating func removeClient(_ clientID: String) {
    var clients = own["clients"]?.object ?? [:]
    clients[clientID] = nil
    own["clients"] = clients.isEmpty ? nil : .object(clients)
    remove(.appMetadata) { $0.matches(client: clientID) }
  }

  mutating func removeMCPServers() { own[Self.mcp] = nil }
}
