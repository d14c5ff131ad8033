import MSAuthCore

// How each kind of provider is recognized, and which parts of its URL are significant.
extension Authority.Kind {
  /// By host and path, in MSAL's order: B2C, AD FS, External ID, Entra ID.
  init(of url: WebURL, known: [Authority]) {
    let first = url.segments.first?.lowercased()
    if (first == "tfp" && url.segments.count >= 3) || Self.isB2C(host: url.host) {
      self = .b2c
    } else if Self.isADFS(url.segments) {
      self = .adfs
    } else if Self.ciamTenant(host: url.host) != nil {
      self = .ciam
    } else if MicrosoftCloud.of(url.host) != nil {
      self = .aad
    } else {
      self = known.first { $0.host == url.hostAndPort }?.kind ?? .oidc
    }
  }

  /// The segments of the canonical path, and the tenant among them.
  func canonicalPath(of url: WebURL) throws(AuthenticationError) -> (segments: [String], tenant: String?) {
    let segments = url.segments
    switch self {
    case .aad, .ciam:
      let implied = self == .ciam ? Self.ciamTenant(host: url.host).map { $0 + ".onmicrosoft.com" } : nil
      guard let tenant = segments.first ?? implied else {
        let missing = self == .aad ? "/common, /organizations, /consumers or the tenant's name" : "its ID or its name"
        throw .invalidAuthority("URL doesn't name a tenant: add \(missing)")
      }
      let canonical = try Self.tenant(tenant)
      return ([canonical], canonical)
    case .b2c:
      let prefix = segments.first?.lowercased() == "tfp" ? 1 : 0
      guard segments.count >= prefix + 2 else {
        throw .invalidAuthority("URL doesn't name a user flow: a B2C authority ends with /<tenant>/<policy>")
      }
      let canonical = try Self.tenant(segments[prefix])
      return ((prefix == 1 ? ["tfp"] : []) + [canonical, segments[prefix + 1]], canonical)
    case .adfs:
      guard segments.first?.lowercased() == "adfs" else {
        throw .invalidAuthority("URL isn't one of AD FS: it must end with /adfs")
      }
      return (["adfs"], nil)
    case .oidc:
      return (segments, nil)
    }
  }

  private static func tenant(_ segment: String) throws(AuthenticationError) -> String {
    guard Authority.isTenant(segment) else {
      throw .invalidAuthority("URL names a tenant that is neither an ID nor a domain name")
    }
    return segment.lowercased()
  }

  /// `/adfs` or one of AD FS's own paths; `/adfs/realm` may be any provider's issuer.
  private static func isADFS(_ segments: [String]) -> Bool {
    let segments = segments.map { $0.lowercased() }
    guard segments.first == "adfs" else { return false }
    return segments.count == 1 || [".well-known", "discovery", "ls", "oauth2", "services"].contains(segments[1])
  }

  /// The tenant of `<tenant>.ciamlogin.com`.
  static func ciamTenant(host: String) -> String? {
    let labels = host.split(separator: ".")
    return labels.count == 3 && labels[1] == "ciamlogin" && labels[2] == "com" ? String(labels[0]) : nil
  }

  /// `<tenant>.b2clogin.com` and its national siblings.
  static func isB2C(host: String) -> Bool {
    let labels = host.split(separator: ".")
    return labels.count == 3 && labels[1] == "b2clogin" && ["com", "cn", "us", "de"].contains(String(labels[2]))
  }
}
