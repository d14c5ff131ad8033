/// What a provider granted of what was asked for, by MSAL's rules.
package struct GrantedScopes: Sendable, Equatable {
  /// What the token serves for: what the provider named, and what it grants without naming.
  package let effective: Scopes
  /// What was asked for and not granted, OpenID Connect's own scopes aside.
  package let declined: Scopes

  /// Microsoft Graph's scopes come back without it.
  private static let graph = "https://graph.microsoft.com/"

  /// Compares.
  ///
  /// - Parameters:
  ///   - asked: What the caller asked for.
  ///   - granted: What the response names.
  package init(asked: Scopes, granted: Scopes) {
    let unnamed = asked.names.filter { scope in
      // `.default` stands for whatever the registration lists; `email` is a claim at Microsoft and comes unnamed.
      scope.lowercased() == "email" || scope.lowercased().hasSuffix("/.default") || granted.contains(Self.short(scope))
    }
    effective = granted.union(asked.keeping(unnamed))
    declined = asked.withoutReserved.subtracting(effective)
  }

  private static func short(_ scope: String) -> String {
    scope.lowercased().hasPrefix(graph) ? String(scope.dropFirst(graph.count)) : scope
  }
}
