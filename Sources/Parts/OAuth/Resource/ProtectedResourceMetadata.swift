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
      let message = "the resource's metadata at \(url.printable(limit: 200)): \(what)"
      return AuthenticationError(.invalidResponse, message, reason: .resourceMetadata)
    }
    guard let json = try? JSONValue.object(parsing: body, options: .strict(maximumSize: Self.bodyLimit)) else {
      throw invalid("it isn't a JSON object with unique members")
    }
    let members = CheckedMembers(json, makeError: invalid)
    resource = try members.required("resource", members.text)
    // Another resource's metadata would lead to tokens for that resource (RFC 9728 §3.3).
    guard let named = try? WebURL(resource, .endpoint), named.contains(requested) else {
      throw invalid("resource is \(resource.printable(limit: 200)), which isn't \(requested.string.printable())")
    }
    authorizationServers = members.optional("authorization_servers", members.list) ?? []
    // Some servers repeat scopes, or list several in one text.
    let names = members.optional("scopes_supported", members.list) ?? []
    let scopes = names.flatMap { $0.split(separator: " ").map(String.init) }
    scopesSupported = Scopes(usable: scopes).names
    var ignored = members.ignored.values.sorted()
    if scopes.contains(where: { (try? Scopes([$0])) == nil }) {
      ignored.append(invalid("scopes_supported has an invalid scope").message)
    }
    ignoredMembers = ignored
  }
}

extension WebURL {
  /// Whether this is the other URL, or a prefix of it by whole segments.
  func contains(_ other: WebURL) -> Bool {
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
