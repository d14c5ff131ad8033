import MSAuth

/// A sign-in's decisions, made before the user is prompted and anything is written.
struct MCPPlan: Sendable {
  enum Client: Sendable {
    case known(MCPClient)
    /// Registers for these scopes.
    case new(Scopes)
  }

  let discovery: MCPDiscovery
  /// The scopes to store for the server.
  let scopes: Scopes
  /// With those of every request, such as `offline_access`.
  let requestedScopes: Scopes
  let client: Client
  /// Shown to the user, who must confirm it first.
  let confirmation: MCPConfirmation?

  /// Whether msauth registers the client, or registered it before.
  var usesDynamicRegistration: Bool {
    switch client {
    case .known(let client): client.isRegistered
    case .new: true
    }
  }
}
