import Core

extension IssuerRule {
  /// The rule for a provider's tokens, once its issuer is found to be the authority's own.
  ///
  /// - For `oidc` and `adfs` the issuer is the authority's URL (OpenID Connect Discovery §4.3). One slash at the end may
  ///   differ: §4.1 has it removed before the metadata's URL is made, so both spellings fetched this very document.
  /// - For Entra (`aad`, `ciam`) and B2C the issuer names the tenant by its ID, which the authority may not know. The
  ///   scheme, port and host must be the authority's, or the host another name of the same cloud; for `ciam` also
  ///   `<tenant ID>.ciamlogin.com`. Where the authority names a tenant's ID, the issuer must name the same.
  /// - Entra's `{tenantid}` is allowed for `aad` and `ciam` alone, once, as the first segment of the path: anywhere
  ///   else, a token could choose the issuer that it is compared with.
  init(issuer: String, authority: Authority) throws(Failure) {
    let mismatch = Failure.invalidMetadata("issuer \(issuer.printable(limit: 200)) is not that of \(authority.url)")
    let isTemplate = issuer.contains(Self.placeholder)
    // Braces are no URL characters; any tenant serves to look at the rest.
    let sample = "00000000-0000-0000-0000-000000000000"
    guard let url = try? WebURL(issuer.replacing(Self.placeholder, with: sample)), url.query == nil,
      let own = try? WebURL(authority.url)
    else { throw mismatch }

    switch authority.kind {
    case .oidc, .adfs:
      guard !isTemplate else { throw mismatch }
      guard url.matches(own) else {
        // The person may have meant this issuer, but only at the host that was named.
        guard url.isSecure || url.scheme == own.scheme, url.host == own.host else { throw mismatch }
        var error = mismatch
        error.hint = "if it is the provider you mean, use its issuer: \(setting: "authority", issuer, or: issuer)"
        throw error
      }
      self = .exact(issuer)
    case .aad, .b2c, .ciam:
      guard url.scheme == own.scheme, Self.isSameProvider(url, authority) else { throw mismatch }
      if isTemplate {
        guard authority.kind != .b2c, issuer.ranges(of: Self.placeholder).count == 1, url.segments.first == sample
        else { throw mismatch }
        self = .tenantTemplate(issuer)
      } else {
        guard Self.namesTenant(of: authority, url) else { throw mismatch }
        self = .exact(issuer)
      }
    }
  }

  private static func isSameProvider(_ issuer: WebURL, _ authority: Authority) -> Bool {
    if authority.environmentAliases.contains(issuer.hostAndPort) { return true }
    return authority.kind == .ciam && issuer.port == nil && Authority.Kind.ciamTenant(host: issuer.host) != nil
  }

  private static func namesTenant(of authority: Authority, _ issuer: WebURL) -> Bool {
    guard authority.kind != .b2c, let tenant = authority.tenant, isTenantID(tenant) else { return true }
    return issuer.segments.first?.lowercased() == tenant
  }

  /// Whether it is one of Microsoft's issuers, which contain a tenant's ID.
  var namesTenant: Bool { if case .tenantTemplate = self { true } else { tenantID != nil } }

  /// The tenant's ID in an issuer that names one; B2C may have `tfp` in front of it.
  var tenantID: String? {
    guard case .exact(let issuer) = self, let url = try? WebURL(issuer) else { return nil }
    return url.segments.prefix(2).first(where: Self.isTenantID)?.lowercased()
  }
}
