package import MSAuthCore

/// The scopes that a resource at Microsoft may request for its tokens.
///
/// Entra's tokens are for the resource that the scope names, so a scope of Microsoft Graph or Azure would give the resource
/// a token for that service.
package struct MicrosoftResourceScopes: Sendable, Equatable {
  package private(set) var names: [String] = []
  /// Identifiers such as `api://…`, which may be any application's until the user confirms them.
  package private(set) var identifiers: [String] = []

  /// OpenID Connect's scopes that are claims (Core §5.4).
  private static let claims = ["email", "address", "phone"]

  /// Whether the scope begins with the resource's URL, or with that of a resource that contains it.
  private static func isOwn(_ scope: String, of resource: String) -> Bool {
    if scope.utf8.starts(with: (resource.withoutTrailingSlash + "/").utf8) { return true }
    guard let end = scope.lastIndex(of: "/"), let named = try? WebURL(String(scope[..<end]), .endpoint),
      let resource = try? WebURL(resource, .endpoint)
    else { return false }
    return named.contains(resource)
  }

  package init(_ scopes: [String], of resource: String) throws(AuthenticationError) {
    for scope in scopes where !Scopes.reserved.contains(scope, ignoringCase: true) {
      if Self.claims.contains(scope) || Self.isOwn(scope, of: resource) {
        names.append(scope)
      } else if scope.utf8.starts(with: "api://".utf8), let end = scope.lastIndex(of: "/"),
        end > scope.index(scope.startIndex, offsetBy: 6)
      {
        names.append(scope)
        if !identifiers.contains(String(scope[..<end])) { identifiers.append(String(scope[..<end])) }
      } else if !scope.utf8.contains(UInt8(ascii: "/")), !scope.utf8.contains(UInt8(ascii: ":")) {
        names.append(resource + "/" + scope)
      } else {
        throw AuthenticationError(
          .invalidResponse,
          "the server requests the scope \(scope.printable(limit: 200)), which is another resource's: its token would give "
            + "the server access there",
          reason: "scope_of_another_resource",
          hint: """
            if you trust the server with it, add \(setting: "scope", scope.printable(limit: 200), or: "the scope to the request")
            """
        )
      }
    }
  }
}
