package import OAuth

/// The provider, and within Microsoft the audience or tenant, that signs people in (MSAL: `MSALAuthority`).
public struct Authority: Sendable, Hashable {
  /// What kind of provider it is, which decides its addresses and its rules.
  public enum Kind: String, Sendable, CaseIterable {
    /// Microsoft Entra ID.
    case aad
    /// Azure AD B2C.
    case b2c
    /// Microsoft Entra External ID (`ciamlogin.com`).
    case ciam
    /// Active Directory Federation Services.
    case adfs
    /// Any OpenID Connect provider; the URL is its issuer.
    case oidc
  }

  package let rule: OAuth.Authority

  package init(_ rule: OAuth.Authority) {
    self.rule = rule
  }

  /// Reads an authority URL.
  ///
  /// - Parameters:
  ///   - url: `https`, or `http` to a loopback host; no query, no user part.
  ///   - kind: What it is, when the URL does not tell (a private cloud, a test provider).
  ///   - known: Authorities that somebody vouches for: another URL at the host of one is of its kind.
  /// - Throws: ``AuthenticationError`` with ``AuthenticationError/Code/invalidConfiguration``.
  public init(_ url: String, kind: Kind? = nil, known: [Authority] = []) throws {
    do {
      self.rule = try OAuth.Authority(
        url,
        kind: kind.flatMap { OAuth.Authority.Kind(rawValue: $0.rawValue) },
        known: known.map(\.rule)
      )
    } catch {
      throw AuthenticationError(error, as: .invalidConfiguration)
    }
  }

  /// Work, school and personal accounts of Microsoft's public cloud.
  public static let microsoftCommon = Authority(OAuth.Authority.defaultAuthority)

  /// The canonical URL.
  public var url: String { rule.url }
  /// What kind of provider it is.
  public var kind: Kind { Kind(rawValue: rule.kind.rawValue) ?? .oidc }

  /// Where the Microsoft Graph of this authority's cloud is; nil where there is none or none is known.
  public var graphEndpoint: String? { rule.graphHost.map { "https://\($0)" } }

  /// Two authorities are equal when their canonical URLs and kinds are.
  public static func == (left: Authority, right: Authority) -> Bool {
    left.url == right.url && left.kind == right.kind
  }

  /// Hashes what equality compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(url)
    hasher.combine(kind)
  }
}
