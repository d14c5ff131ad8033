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
    var node: JSONValue.Object = [
      "resource": .string(resource),
      "issuer": .string(issuer),
      "client_id": .string(clientID),
      "scopes": .array(scopes.map { .string($0) }),
    ]
    node["client_secret"] = clientSecret.map { .string($0.revealed) }
    node["redirect_uri"] = redirectURI.map { .string($0) }
    node["account_kind"] = accountKind.map { .string($0) }
    node["home_account_id"] = accountID.map { .string($0) }
    if !confirmedIdentifiers.isEmpty { node["confirmed"] = .array(confirmedIdentifiers.map { .string($0) }) }
    return .object(node)
  }
}

/// A client that registered itself at an issuer, for the servers that name it.
package struct RegistrationEntry: Sendable, Equatable {
  package var clientID: String
  package var clientSecret: Secret?
  /// Registered with its port, since some issuers compare it.
  package var redirectURI: String
  package var managementURL: String?
  package var managementToken: Secret?

  package init(
    clientID: String,
    clientSecret: Secret? = nil,
    redirectURI: String,
    managementURL: String? = nil,
    managementToken: Secret? = nil
  ) {
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.redirectURI = redirectURI
    self.managementURL = managementURL
    self.managementToken = managementToken
  }
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
    return RegistrationEntry(
      clientID: clientID,
      clientSecret: node.filled("client_secret").map { Secret($0) },
      redirectURI: redirectURI,
      managementURL: node.filled("registration_client_uri"),
      managementToken: node.filled("registration_access_token").map { Secret($0) }
    )
  }

  package mutating func setRegistration(_ entry: RegistrationEntry?, at issuer: String) {
    let node = entry.map { entry in
      var node: JSONValue.Object = [
        "client_id": .string(entry.clientID), "redirect_uri": .string(entry.redirectURI),
      ]
      node["client_secret"] = entry.clientSecret.map { .string($0.revealed) }
      node["registration_client_uri"] = entry.managementURL.map { .string($0) }
      node["registration_access_token"] = entry.managementToken.map { .string($0.revealed) }
      return JSONValue.object(node)
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
