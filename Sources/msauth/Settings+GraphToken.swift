import MSAuth
import MSAuthPreferences

// Keeps Microsoft's default token, which is for Microsoft Graph, from other servers.
extension Settings {
  /// Whether the configured scopes name a resource other than Microsoft Graph.
  var hasScopesOfOtherResource: Bool {
    scopes?.contains { $0.contains("/") && !Authority.isGraph($0) } == true
  }

  /// Whether the token is Microsoft's default one, which a server could use at Microsoft Graph as the user.
  func usesGraphToken(_ requested: [String]) -> Bool {
    let isMicrosoft = [.aad, .ciam].contains(application.authority.kind)
    return isMicrosoft && requested.isEmpty && !hasScopesOfOtherResource
  }

  func requireScope(_ requested: [String], for server: String, hint: Hint) throws(AuthenticationError) {
    guard usesGraphToken(requested) else { return }
    throw AuthenticationError.usage("the default token is for Microsoft Graph, not for \(server)", hint: hint)
  }
}
