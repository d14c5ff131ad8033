/// What the challenge of a protected resource names (RFC 6750 §3, RFC 9728 §5.1).
package struct ResourceChallenge: Sendable, Equatable {
  package var metadataURLs: [String] = []
  package var scopes: [String] = []
  /// Whether the token lacks scopes (RFC 6750 §3.1).
  package var isInsufficientScope = false
  /// What else the next token must meet.
  package var requirements: ResourceRequirements?

  init() {}

  package init(wwwAuthenticate fields: [String]) {
    let challenges = AuthenticationChallenge.all(in: fields)
    requirements = ResourceRequirements(challenges)?.beyondScopes
    let parameters = challenges.filter(\.isForToken).map(\.parameters)
    metadataURLs = parameters.compactMap { $0["resource_metadata"] }
    scopes = Scopes.first(in: parameters)
    isInsufficientScope = parameters.contains { $0["error"] == "insufficient_scope" }
  }
}
