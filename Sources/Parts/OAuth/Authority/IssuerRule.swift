import MSAuthCore

/// Which issuer an ID token or a redirect must name.
package enum IssuerRule: Sendable, Equatable {
  /// This issuer, byte by byte (OpenID Connect Core §3.1.3.7 rule 2).
  case exact(String)
  /// Entra's issuer for many tenants, where `{tenantid}` stands for the ID token's `tid`.
  case tenantTemplate(String)

  static let placeholder = "{tenantid}"

  /// The issuer as the metadata has it, for messages.
  package var name: String {
    switch self {
    case .exact(let issuer), .tenantTemplate(let issuer): issuer
    }
  }

  /// The issuer to show to the user; for many tenants, the authority's URL.
  package func name(at authority: Authority) -> String {
    if case .exact(let issuer) = self { issuer } else { authority.url }
  }

  func expectedIssuer(tenantID: String?) -> String? {
    switch self {
    case .exact(let issuer):
      return issuer
    case .tenantTemplate(let template):
      // A tid with a slash or a dot could make the template name another path or host.
      guard let tenantID, Self.isTenantID(tenantID) else { return nil }
      return template.replacing(Self.placeholder, with: tenantID)
    }
  }

  /// Whether an issuer follows the rule, in any tenant.
  func matches(_ issuer: String) -> Bool {
    switch self {
    case .exact(let expected): return issuer.isIdentical(to: expected)
    case .tenantTemplate(let template):
      // Over bytes, since the Kelvin sign would equal a K.
      let parts = template.split(separator: Self.placeholder, omittingEmptySubsequences: false).map { Array($0.utf8) }
      let issuer = Array(issuer.utf8)
      guard parts.count == 2, issuer.count > parts[0].count + parts[1].count, issuer.starts(with: parts[0]),
        issuer.suffix(parts[1].count) == parts[1][...]
      else { return false }
      let tenant = issuer.dropFirst(parts[0].count).dropLast(parts[1].count)
      return Self.isTenantID(String(decoding: tenant, as: UTF8.self))
    }
  }

  /// Whether the text is a GUID, as Entra's tenant IDs are.
  static func isTenantID(_ text: String) -> Bool {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12]
      && groups.joined().allSatisfy { $0.hexDigitValue != nil }
  }
}

extension IssuerRule {
  /// The rule for a provider's tokens, if the issuer in its metadata is the authority's own.
  init(issuer: String, authority: Authority) throws(AuthenticationError) {
    let named = issuer.printable(limit: 200)
    let mismatch = AuthenticationError.invalidMetadata("issuer \(named) doesn't match \(authority.url)")
    let isTemplate = issuer.contains(Self.placeholder)
    // Braces aren't URL characters.
    let sample = "00000000-0000-0000-0000-000000000000"
    guard let url = try? WebURL(issuer.replacing(Self.placeholder, with: sample)), url.query == nil,
      let authorityURL = try? WebURL(authority.url)
    else { throw mismatch }

    if case .resource(_, let named, _) = authority.subject {
      // An empty path and "/" are one URL (RFC 3986 §6.2.3); other spellings are compared byte by byte.
      let isRoot = url.path.withoutTrailingSlash.isEmpty && url.matches(authorityURL)
      guard isRoot || issuer.isIdentical(to: named) else { throw mismatch }
      self = .exact(issuer)
      return
    }
    switch authority.kind {
    case .oidc, .adfs:
      // The authority's URL (OpenID Connect Discovery §4.3), except for a trailing slash, which §4.1 removes from the
      // metadata's URL; or, behind a custom domain, Microsoft's own issuer of the same tenant, as in MSAL.
      guard !isTemplate else { throw mismatch }
      guard url.matches(authorityURL) || Self.isMicrosoftTenant(url, behind: authorityURL) else {
        // Suggest this issuer only if it is on the configured host.
        guard url.isSecure || url.scheme == authorityURL.scheme, url.host == authorityURL.host else { throw mismatch }
        var error = mismatch
        error.hint = "if it is the provider you mean, use its issuer: \(setting: "authority", issuer, or: issuer)"
        throw error
      }
      self = .exact(issuer)
    case .aad, .b2c, .ciam:
      // The issuer names the tenant by its ID, which the authority may not contain. Its host may be another name of the
      // authority's cloud, for `ciam` also `<tenant ID>.ciamlogin.com`.
      guard url.scheme == authorityURL.scheme,
        Self.isSameProvider(url, authority) || Self.isMicrosoftTenant(url, behind: authorityURL)
      else { throw mismatch }
      if isTemplate {
        // Anywhere but in the first path segment, the placeholder would let a token choose its issuer.
        guard authority.kind != .b2c, issuer.ranges(of: Self.placeholder).count == 1, url.segments.first == sample
        else { throw mismatch }
        self = .tenantTemplate(issuer)
      } else {
        guard Self.namesTenant(of: authority, url) else { throw mismatch }
        self = .exact(issuer)
      }
    }
  }

  /// Whether the issuer is the authority's tenant, named by its ID, at one of Microsoft's own hosts.
  private static func isMicrosoftTenant(_ issuer: WebURL, behind authority: WebURL) -> Bool {
    guard let tenant = authority.segments.first?.lowercased(), isTenantID(tenant), authority.isSecure,
      issuer.isSecure, issuer.port == nil, issuer.segments.first?.lowercased() == tenant,
      ["", "v2.0"].contains(issuer.segments.dropFirst().joined(separator: "/"))
    else { return false }
    return MicrosoftCloud.of(issuer.host) != nil || Authority.Kind.ciamTenant(host: issuer.host) != nil
  }

  private static func isSameProvider(_ issuer: WebURL, _ authority: Authority) -> Bool {
    if authority.environmentAliases.contains(issuer.hostAndPort) { return true }
    return authority.kind == .ciam && issuer.port == nil && Authority.Kind.ciamTenant(host: issuer.host) != nil
  }

  private static func namesTenant(of authority: Authority, _ issuer: WebURL) -> Bool {
    guard authority.kind != .b2c, let tenant = authority.tenant, isTenantID(tenant) else { return true }
    return issuer.segments.first?.lowercased() == tenant
  }

  /// Whether the issuer contains a tenant ID, as Microsoft's issuers do.
  var namesTenant: Bool { if case .tenantTemplate = self { true } else { tenantID != nil } }

  /// The tenant ID in the issuer; B2C may have `tfp` in front of it.
  var tenantID: String? {
    guard case .exact(let issuer) = self, let url = try? WebURL(issuer) else { return nil }
    return url.segments.prefix(2).first(where: Self.isTenantID)?.lowercased()
  }
}
