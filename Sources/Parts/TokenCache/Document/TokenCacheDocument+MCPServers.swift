package import MSAuthCore

/// What the cache stores about an MCP server besides its tokens.
package struct MCPServerEntry: Sendable, Equatable {
  /// The server's URL; for one of several sessions, `#` and the session's name follow.
  package var key: String
  /// The resource that its tokens are for (RFC 8707); `nil` if it has no metadata.
  package var resource: String?
  package var issuer: String
  package var client: MCPClient
  /// The kind of authority whose account has the tokens; `nil` if the session belongs to the resource.
  package var accountKind: String?
  /// The home account ID that signed in.
  package var accountID: String?
  package var scopes: [String] = []
  /// Identifiers of scopes (`api://…`) that the user confirmed.
  package var confirmedIdentifiers: [String] = []

  package init(_ key: String, resource: String?, issuer: String, client: MCPClient) {
    (self.key, self.resource, self.issuer, self.client) = (key, resource, issuer, client)
  }

  package var url: String { String(key.prefix { $0 != "#" }) }
  package var session: String? { key.firstIndex(of: "#").map { String(key[$0...].dropFirst()) } }
  /// Whether an account has the tokens; else they are the resource's own.
  package var isForAccount: Bool { accountKind != nil }
  /// The scopes by which its token is found; a resource has one token, whatever its scopes.
  package var tokenScopes: [String] { isForAccount ? scopes : [] }

  fileprivate init?(_ key: String, _ node: JSONValue) {
    guard let issuer = node.nonEmpty("issuer"), let client = MCPClient(node) else { return nil }
    self.init(key, resource: node.nonEmpty("resource"), issuer: issuer, client: client)
    accountKind = node.nonEmpty("account_kind")
    accountID = node.nonEmpty("home_account_id")
    scopes = (node["scopes"]?.array ?? []).compactMap(\.string)
    confirmedIdentifiers = (node["confirmed"]?.array ?? []).compactMap(\.string)
  }

  fileprivate var members: JSONValue.Object {
    var members = client.members
    members["resource"] = resource.map { .string($0) }
    members["issuer"] = .string(issuer)
    members["account_kind"] = accountKind.map { .string($0) }
    members["home_account_id"] = accountID.map { .string($0) }
    members["scopes"] = .array(scopes.map { .string($0) })
    if !confirmedIdentifiers.isEmpty { members["confirmed"] = .array(confirmedIdentifiers.map { .string($0) }) }
    return members
  }
}

/// A client at an issuer: configured, or registered for the servers that name the issuer.
package struct MCPClient: Sendable, Equatable {
  package let id: String
  package private(set) var secret: Secret?
  /// How it authenticates; `nil` for a method that the issuer lists.
  package private(set) var authenticationMethod: String?
  /// 0 if it doesn't expire (RFC 7591 §3.2.1).
  package private(set) var secretExpiresOn: UnixTime = 0
  /// Stored with its port, since some issuers compare it.
  package var redirectURI: String?
  /// The scopes that it registered for, since some issuers reject others; `nil` if it was configured.
  package var registeredScopes: [String]?
  /// Whether msauth registered it.
  package var isRegistered: Bool { registeredScopes != nil }
  package var managementURL: String?
  package private(set) var managementToken: Secret?

  package init(_ id: String, secret: Secret? = nil, redirectURI: String? = nil) {
    (self.id, self.secret, self.redirectURI) = (id, secret, redirectURI)
  }

  /// Reads members with the names of RFC 7591.
  package init?(_ node: JSONValue) {
    guard let id = node.nonEmpty("client_id") else { return nil }
    self.init(id, secret: node.nonEmpty("client_secret").map { Secret($0) }, redirectURI: node.nonEmpty("redirect_uri"))
    authenticationMethod = node.nonEmpty("token_endpoint_auth_method")
    secretExpiresOn = node["client_secret_expires_at"]?.integer ?? 0
    registeredScopes = node["scope"]?.string?.split(separator: " ").map(String.init)
    managementURL = node.nonEmpty("registration_client_uri")
    managementToken = node.nonEmpty("registration_access_token").map { Secret($0) }
  }

  fileprivate var members: JSONValue.Object {
    var members: JSONValue.Object = ["client_id": .string(id)]
    members["client_secret"] = secret.map { .string($0.revealed) }
    members["token_endpoint_auth_method"] = authenticationMethod.map { .string($0) }
    if secretExpiresOn != 0 { members["client_secret_expires_at"] = .number(JSONValue.Number(secretExpiresOn)) }
    members["redirect_uri"] = redirectURI.map { .string($0) }
    members["scope"] = registeredScopes.map { .string($0.joined(separator: " ")) }
    members["registration_client_uri"] = managementURL.map { .string($0) }
    members["registration_access_token"] = managementToken.map { .string($0.revealed) }
    return members
  }
}

extension TokenCacheDocument {
  static let mcp = "mcp"

  /// The servers in the order of their URLs.
  package var mcpServers: [MCPServerEntry] {
    state[object: Self.mcp][object: "servers"].sorted.compactMap { MCPServerEntry($0.key, $0.value) }
  }

  package func mcpServer(_ key: String) -> MCPServerEntry? {
    state[Self.mcp]?["servers"]?[key].flatMap { MCPServerEntry(key, $0) }
  }

  package mutating func setMCPServer(_ key: String, _ entry: MCPServerEntry?) {
    state[object: Self.mcp][object: "servers"][key] = entry.map { .object($0.members) }
  }

  /// The client that registered itself at an issuer.
  package func registration(at issuer: String) -> MCPClient? {
    state[Self.mcp]?["registrations"]?[issuer].flatMap { MCPClient($0) }
  }

  package mutating func setRegistration(_ client: MCPClient?, at issuer: String) {
    state[object: Self.mcp][object: "registrations"][issuer] = client.map { .object($0.members) }
  }

  /// The issuers with a client that registered itself.
  package var registrationIssuers: [String] { state[object: Self.mcp][object: "registrations"].sorted.map(\.key) }

  /// Removes and returns the client that the next sign-in at an issuer would use, unless a server uses it.
  package mutating func removeUnusedRegistration(at issuer: String) -> MCPClient? {
    guard let client = registration(at: issuer),
      !mcpServers.contains(where: { $0.issuer == issuer && $0.client.id == client.id })
    else { return nil }
    setRegistration(nil, at: issuer)
    removeState(of: client)
    return client
  }

  /// Removes the state of a client that was registered for servers, if none uses it.
  package mutating func removeState(of client: MCPClient) {
    guard client.isRegistered, !mcpServers.contains(where: { $0.client.id == client.id }) else { return }
    state[object: "clients"][client.id] = nil
    remove(.appMetadata) { $0.matches(client: client.id) }
  }
}
