package import MSAuthCore

/// A protected resource's checked metadata (RFC 9728 §2).
package struct ProtectedResourceMetadata: Sendable, Equatable {
  static let bodyLimit = 64 * 1024

  package let resource: String
  /// Issuers; empty if the resource names none.
  package let authorizationServers: [String]
  /// Empty if not listed.
  package let scopesSupported: [String]
  /// Invalid optional members, with the reason.
  package let ignoredMembers: [String]

  /// The URLs to try for a resource without a challenge (RFC 9728 §3.1).
  package static func urls(for resource: WebURL) -> [String] {
    let root = resource.origin + "/.well-known/oauth-protected-resource"
    let path = resource.path.withoutTrailingSlash
    let withQuery = resource.query.map { [root + path + "?" + $0] } ?? []
    return withQuery + (path.isEmpty ? [root] : [root + path, root])
  }

  package init(parsing body: [UInt8], from url: String, of requested: WebURL) throws(AuthenticationError) {
    func invalid(_ what: String) -> AuthenticationError {
      AuthenticationError(
        .invalidResponse,
        "the resource's metadata at \(url.printable(limit: 200)): \(what)",
        reason: .resourceMetadata
      )
    }
    guard let json = try? JSONValue.object(parsing: body, options: .strict(maximumSize: Self.bodyLimit)) else {
      throw invalid("it isn't a JSON object with unique members")
    }
    let fields = Fields(json, refusal: invalid)
    resource = try fields.required("resource", fields.text)
    // RFC 9728 §3.3: another resource's metadata would bring the tokens of another resource.
    guard let named = try? WebURL(resource, .endpoint), named.contains(requested)
    else {
      throw invalid(
        "resource is \(resource.printable(limit: 200)), which isn't \(requested.string.printable(limit: 200))"
      )
    }
    authorizationServers = fields.optional("authorization_servers", fields.list) ?? []
    // Some servers repeat scopes, or list several in one text.
    let names = fields.optional("scopes_supported", fields.list) ?? []
    let scopes = names.flatMap { $0.split(separator: " ").map(String.init) }
    scopesSupported = Scopes(usable: scopes).names
    var ignored = fields.ignoredMembers.values.sorted()
    if scopes.contains(where: { (try? Scopes([$0])) == nil }) {
      ignored.append(invalid("scopes_supported has an invalid scope").message)
    }
    ignoredMembers = ignored
  }
}

extension WebURL {
  /// Whether this is the other URL, or a prefix of it by whole segments.
  fileprivate func contains(_ other: WebURL) -> Bool {
    guard origin == other.origin else { return false }
    if query != nil { return self == other }
    let prefix = path.withoutTrailingSlash.utf8
    let rest = other.path.withoutTrailingSlash.utf8
    return rest.starts(with: prefix) && [nil, UInt8(ascii: "/")].contains(rest.dropFirst(prefix.count).first)
  }
}

extension AuthenticationError.Reason {
  /// The metadata of a protected resource can't be used.
  package static let resourceMetadata: Self = "resource_metadata_invalid"
}

/// What the challenge of a protected resource names (RFC 6750 §3, RFC 9728 §5.1).
package struct ResourceChallenge: Sendable, Equatable {
  package var metadataURLs: [String] = []
  package var scopes: [String] = []
  /// Whether the token lacks scopes (RFC 6750 §3.1).
  package var isInsufficientScope = false
  /// What else the next token must meet.
  package var requirements: ResourceRequirements?

  package init() {}

  package init(wwwAuthenticate fields: [String]) {
    let challenges = AuthenticationChallenge.all(in: fields)
    requirements = ResourceRequirements(challenges)?.beyondScopes
    let parameters = challenges.filter { $0.scheme == "bearer" }.map(\.parameters)
    metadataURLs = parameters.compactMap { $0["resource_metadata"] }
    scopes = Scopes.first(in: parameters)
    isInsufficientScope = parameters.contains { $0["error"] == "insufficient_scope" }
  }
}

/// The scopes that a resource at Microsoft may request.
///
/// A resource chooses the scopes of its tokens. Entra's tokens are for the resource in the scope's name, so the name
/// of a different resource (Microsoft Graph, Azure) would bring a token of that resource.
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
