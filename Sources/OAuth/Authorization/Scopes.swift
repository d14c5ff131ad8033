package import Core

/// Scopes in the order given, each once (RFC 6749 §3.3).
package struct Scopes: Sendable, Equatable {
  /// The scopes in order.
  package let names: [String]

  /// No scope at all.
  package static let none = Scopes(unchecked: [])
  /// What OpenID Connect itself needs; they open no resource.
  package static let reserved = Scopes(unchecked: ["openid", "profile", "offline_access"])

  private static let offlineAccess = Scopes(unchecked: ["offline_access"])

  /// More than any app asks for; a URL would not hold more.
  package static let countLimit = 200
  /// The maximum length of a single scope: a resource's URL and a permission.
  package static let lengthLimit = 512

  /// Takes scopes one by one.
  package init(_ scopes: [String]) throws(Failure) {
    guard scopes.count <= Self.countLimit else {
      throw .invalidParameter(name: "scope", reason: "has more than \(Self.countLimit) values")
    }
    for scope in scopes {
      guard !scope.isEmpty else { throw .invalidParameter(name: "scope", reason: "is empty") }
      guard scope.utf8.count <= Self.lengthLimit else {
        throw .invalidParameter(name: "scope", reason: "is longer than \(Self.lengthLimit) bytes")
      }
      guard !scope.utf8.contains(UInt8(ascii: " ")) else {
        throw .invalidParameter(
          name: "scope \"\(scope.printable(limit: 64))\"",
          reason: "has a space; each scope is given by itself"
        )
      }
      guard scope.utf8.allSatisfy(Self.isScopeCharacter) else {
        throw .invalidParameter(
          name: "scope \"\(scope.printable(limit: 64))\"",
          reason: "has a character that a scope cannot have (RFC 6749 §3.3)"
        )
      }
    }
    self.init(unchecked: scopes)
  }

  /// Takes scopes from one text, as requests and answers carry them.
  package init(parsing text: String) throws(Failure) {
    try self.init(text.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) })
  }

  private init(unchecked scopes: some Sequence<String>) {
    var seen: Set<String> = []
    self.names = scopes.filter { seen.insert($0).inserted }
  }

  private static func isScopeCharacter(_ byte: UInt8) -> Bool {
    byte == 0x21 || (0x23...0x5B).contains(byte) || (0x5D...0x7E).contains(byte)
  }
}

extension Scopes {
  /// The scopes with a blank between them, as a parameter carries them.
  package var joined: String { names.joined(separator: " ") }

  package var isEmpty: Bool { names.isEmpty }

  /// Whether a scope is among these.
  ///
  /// Scopes are case-sensitive (RFC 6749 §3.3), except at Microsoft, which changes case.
  package func contains(_ scope: String, ignoringCase: Bool = false) -> Bool {
    names.contains { ignoringCase ? $0.lowercased() == scope.lowercased() : $0.isIdentical(to: scope) }
  }

  /// These, then those of the others that are not among them yet.
  package func union(_ others: Scopes, ignoringCase: Bool = false) -> Scopes {
    Scopes(unchecked: names + others.names.filter { !contains($0, ignoringCase: ignoringCase) })
  }

  /// These without the ones that the others contain.
  package func subtracting(_ others: Scopes, ignoringCase: Bool = false) -> Scopes {
    Scopes(unchecked: names.filter { !others.contains($0, ignoringCase: ignoringCase) })
  }

  /// These as far as the others contain them too.
  package func intersection(_ others: Scopes, ignoringCase: Bool = false) -> Scopes {
    Scopes(unchecked: names.filter { others.contains($0, ignoringCase: ignoringCase) })
  }

  /// Those of these that the list names as they are written.
  func keeping(_ names: [String]) -> Scopes { Scopes(unchecked: self.names.filter(names.contains)) }

  /// These without OpenID Connect's own.
  package func withoutReserved(ignoringCase: Bool = false) -> Scopes {
    subtracting(.reserved, ignoringCase: ignoringCase)
  }

  /// What a token's scope must name to serve a caller who asks for these.
  ///
  /// OpenID Connect's own scopes do not count when a resource's scope is asked for: they say nothing about what the
  /// token opens, and Entra leaves them out of its answer. Asked for alone, they do, all but `offline_access`, which
  /// no token's scope names.
  package func namedByToken(ignoringCase: Bool = false) -> [String] {
    let resource = withoutReserved(ignoringCase: ignoringCase)
    let named = resource.isEmpty ? subtracting(.offlineAccess, ignoringCase: ignoringCase) : resource
    return named.names
  }

  /// What a request sends: these, `openid`, and `profile` and `offline_access` where the provider knows them.
  package func forRequest(authority: Authority, metadata: ProviderMetadata) -> Scopes {
    let supported = metadata.scopesSupported
    var own = ["openid"]
    if authority.isMicrosoft || supported.isEmpty || supported.contains("profile") { own.append("profile") }
    if authority.isMicrosoft || supported.contains("offline_access") { own.append("offline_access") }
    return union(Scopes(unchecked: own), ignoringCase: authority.ignoresScopeCase)
  }
}

/// What a provider granted of what was asked for, by MSAL's rules.
package struct GrantedScopes: Sendable, Equatable {
  /// What the token serves for: what the provider named, and what it grants without naming.
  package let effective: Scopes
  /// What was asked for and not granted, OpenID Connect's own scopes aside.
  package let declined: Scopes

  /// Microsoft Graph's scopes come back without it.
  private static let graph = "https://graph.microsoft.com/"

  /// Compares.
  package init(asked: Scopes, granted: Scopes, ignoringCase: Bool) {
    let unnamed = asked.names.filter { scope in
      // `.default` stands for whatever the registration lists; `email` is a claim at Microsoft and comes unnamed.
      scope.lowercased() == "email" || scope.lowercased().hasSuffix("/.default")
        || granted.contains(Self.short(scope), ignoringCase: ignoringCase)
    }
    effective = granted.union(asked.keeping(unnamed), ignoringCase: ignoringCase)
    declined = asked.withoutReserved(ignoringCase: ignoringCase).subtracting(effective, ignoringCase: ignoringCase)
  }

  private static func short(_ scope: String) -> String {
    scope.lowercased().hasPrefix(graph) ? String(scope.dropFirst(graph.count)) : scope
  }
}
