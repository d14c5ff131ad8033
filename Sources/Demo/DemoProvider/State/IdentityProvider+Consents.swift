import MSAuthCore

extension IdentityProvider {
  func scopesWithoutConsent(_ scopes: [String], user: DemoUser, client: RegisteredClient) -> [String] {
    let allowed = consents["\(user.id) \(client.id)"] ?? []
    return scopes.filter { scope in
      let scope = scope.lowercased()
      if scope == DemoScopes.allOfGraph { return allowed.isDisjoint(with: DemoScopes.allGraphNames) }
      let resource = DemoScopes.azureResource(of: scope)?.withoutTrailingSlash
      return !allowed.contains(scope) && !(resource.map { allowed.contains($0 + DemoScopes.impersonation) } ?? false)
    }
  }

  /// The scopes; `.default` of Graph adds those that the user has consented to.
  func grantedScopes(_ scopes: [String], user: DemoUser, client: RegisteredClient) -> [String] {
    guard scopes.contains(where: { $0.lowercased() == DemoScopes.allOfGraph }) else { return scopes }
    let allowed = consents["\(user.id) \(client.id)"] ?? []
    let granted = DemoScopes.graph.map(\.name).filter { name in
      [name, DemoScopes.graphResource + name, DemoScopes.allOfGraph].contains { allowed.contains($0.lowercased()) }
    }
    return granted.map { DemoScopes.graphResource + $0 } + scopes
  }

  func consent(to scopes: [String], user: DemoUser, client: RegisteredClient) {
    consents["\(user.id) \(client.id)", default: []].formUnion(scopes.map { $0.lowercased() })
  }
}
