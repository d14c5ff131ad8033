package import MSAuthCore

/// Scopes in the order given, each once (RFC 6749 §3.3).
package struct Scopes: Sendable, Equatable {
  package let names: [String]

  package static let none = Scopes(unchecked: [])
  package static let openID = Scopes(unchecked: ["openid"])
  /// OpenID Connect's scopes, which grant access to no resource.
  static let reserved = Scopes(unchecked: ["openid", "profile", "offline_access"])

  private static let offlineAccess = Scopes(unchecked: ["offline_access"])

  /// More wouldn't fit into a URL.
  static let countLimit = 200
  /// The maximum length of one scope, in bytes: a resource's URL and a permission.
  private static let lengthLimit = 512

  package init(_ scopes: [String]) throws(AuthenticationError) {
    guard scopes.count <= Self.countLimit else {
      throw .invalidParameter(name: "scope", reason: "has more than \(Self.countLimit) values")
    }
    for scope in scopes {
      guard scope.utf8.contains(where: { $0 != UInt8(ascii: " ") }) else {
        throw .invalidParameter(name: "scope", reason: "is empty")
      }
      guard scope.utf8.count <= Self.lengthLimit else {
        throw .invalidParameter(name: "scope", reason: "is longer than \(Self.lengthLimit) bytes")
      }
      guard scope.utf8.allSatisfy(\.isScopeCharacter) else {
        let hasSpace = scope.utf8.contains(UInt8(ascii: " "))
        let what = hasSpace ? "space; scopes are separate values" : "character that scopes can't have (RFC 6749 §3.3)"
        throw .invalidParameter(name: "scope \"\(scope.printable(limit: 64))\"", reason: "has a \(what)")
      }
    }
    self.init(unchecked: scopes)
  }

  init(parsing text: String) throws(AuthenticationError) {
    try self.init(text.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) })
  }

  /// Keeps the valid scopes that a provider sent or another program stored.
  package init(usable scopes: [String]) {
    let valid = Scopes(unchecked: scopes.filter { (try? Scopes([$0])) != nil })
    self.init(unchecked: valid.names.prefix(Self.countLimit))
  }

  fileprivate init(unchecked scopes: some Sequence<String>) {
    var seen: Set<String> = []
    self.names = scopes.filter { seen.insert($0).inserted }
  }
}

extension UInt8 {
  /// Whether scopes and nonces may contain it: `NQCHAR` of RFC 6749 appendix A.
  var isScopeCharacter: Bool { isASCIIVisible && self != UInt8(ascii: "\"") && self != UInt8(ascii: "\\") }
}

extension Scopes {
  /// Separated by spaces, as a parameter.
  package var joined: String { names.joined(separator: " ") }

  package var isEmpty: Bool { names.isEmpty }

  /// Scopes are case-sensitive (RFC 6749 §3.3), except at Microsoft, which changes case.
  package func contains(_ scope: String, ignoringCase: Bool = false) -> Bool {
    names.contains { ignoringCase ? $0.isEqual(ignoringCase: scope) : $0.isIdentical(to: scope) }
  }

  package func union(_ others: Scopes, ignoringCase: Bool = false) -> Scopes {
    Scopes(unchecked: names + others.names.filter { !contains($0, ignoringCase: ignoringCase) })
  }

  package func subtracting(_ others: Scopes, ignoringCase: Bool = false) -> Scopes {
    Scopes(unchecked: names.filter { !others.contains($0, ignoringCase: ignoringCase) })
  }

  func intersection(_ others: Scopes, ignoringCase: Bool = false) -> Scopes {
    Scopes(unchecked: names.filter { others.contains($0, ignoringCase: ignoringCase) })
  }

  /// Adds scopes.
  ///
  /// Beside `/.default`, which requests all of a resource's permissions, Entra accepts only OpenID Connect's scopes.
  package static func adding(_ more: [String], to scopes: [String]) -> [String] {
    guard more.contains(where: isOfResource) else { return scopes + more }
    let replaces = more.contains(where: isDefault)
    return scopes.filter { replaces ? !isOfResource($0) : !isDefault($0) } + more
  }

  private static func isOfResource(_ scope: String) -> Bool {
    !reserved.contains(scope, ignoringCase: true) && scope.lowercased() != "email"
  }

  /// Throws for scopes that Entra would reject only in the browser (AADSTS70011).
  package func checkDefault() throws(AuthenticationError) {
    let scopes = names.filter(Self.isOfResource)
    guard scopes.count > 1, let scope = scopes.first(where: Self.isDefault) else { return }
    let message = "the scope \(scope.printable(limit: 100)) can't be combined with others"
    let hint: Hint = "request it alone, or name the scopes that you need"
    throw AuthenticationError(.invalidParameter, message, reason: "invalid_parameter", hint: hint)
  }

  private static let defaultSuffix = "/.default"

  /// The scope for all of a resource's permissions.
  package static func `default`(of resource: String) -> String { resource + defaultSuffix }

  package static func isDefault(_ scope: String) -> Bool { scope.lowercased().hasSuffix(defaultSuffix) }

  /// The resource of a `/.default` scope; `nil` for other scopes.
  package static func resource(ofDefault scope: String) -> String? {
    isDefault(scope) ? String(scope.dropLast(defaultSuffix.count)) : nil
  }

  /// Without OpenID Connect's scopes.
  package func withoutReserved(ignoringCase: Bool = false) -> Scopes {
    subtracting(.reserved, ignoringCase: ignoringCase)
  }

  /// The scopes that a token must have to serve a request for these scopes.
  ///
  /// OpenID Connect's scopes are required only if there are no others, since Entra's response omits them beside a
  /// resource's. `offline_access` never is: no token has it.
  package func namedByToken(ignoringCase: Bool = false) -> [String] {
    let resource = withoutReserved(ignoringCase: ignoringCase)
    let named = resource.isEmpty ? subtracting(.offlineAccess, ignoringCase: ignoringCase) : resource
    return named.names
  }

  /// The scopes that a request sends: also `openid` for an ID token, and `profile` and `offline_access` if the provider supports them.
  package func forRequest(authority: Authority, metadata: ProviderMetadata) -> Scopes {
    let supported = metadata.scopesSupported
    var added: [String] = []
    if authority.subject.isAccount {
      added.append("openid")
      if authority.isMicrosoft || supported.isEmpty || supported.contains("profile") { added.append("profile") }
    }
    if authority.isMicrosoft || supported.contains("offline_access") { added.append("offline_access") }
    return union(Scopes(unchecked: added), ignoringCase: authority.ignoresScopeCase)
  }
}

/// The granted part of the requested scopes, by MSAL's rules.
package struct GrantedScopes: Sendable, Equatable {
  /// What the response lists, and what the provider grants without listing it.
  package let effective: Scopes
  /// Requested but not granted, without OpenID Connect's scopes.
  package let declined: Scopes

  /// The prefixes of Microsoft Graph's scopes, which requests and responses may omit.
  private static let graphPrefixes = MicrosoftCloud.graphHosts.map { "https://\($0)/" }

  package init(requested: Scopes, granted: Scopes, ignoringCase: Bool) {
    // Either may omit the address of Graph; the addresses of two clouds differ.
    let short = Scopes(unchecked: granted.names.map(Self.short))
    let unlisted = requested.names.filter { scope in
      // `.default` means the scopes of the registration; `email` is a claim at Microsoft.
      scope.lowercased() == "email" || Scopes.isDefault(scope)
        || granted.contains(Self.short(scope), ignoringCase: ignoringCase)
        || short.contains(scope, ignoringCase: ignoringCase)
    }
    effective = granted.union(Scopes(unchecked: unlisted), ignoringCase: ignoringCase)
    declined = requested.withoutReserved(ignoringCase: ignoringCase).subtracting(effective, ignoringCase: ignoringCase)
  }

  private static func short(_ scope: String) -> String {
    let prefix = graphPrefixes.first(where: scope.lowercased().hasPrefix)
    return prefix.map { String(scope.dropFirst($0.count)) } ?? scope
  }
}
