import MSAuth

/// The requirements of an MCP server, from its metadata and that of the authorization server that it names (RFC 9728).
struct MCPDiscovery: Sendable {
  /// `nil` if the server has no metadata.
  let resource: String?
  let issuer: String
  /// The authority that issues the tokens; bound to the resource, unless they are an account's (Microsoft, AD FS).
  let authority: Authority
  let metadata: ProviderMetadata
  /// The scopes of the challenge, else all that the resource supports.
  let scopes: [String]
  /// The application that is configured at that authority.
  let configuredApplication: ClientConfiguration?
}
