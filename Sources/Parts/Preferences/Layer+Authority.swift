import FoundationEssentials
package import MSAuth
import MSAuthCore

/// Settings that depend on each other.
extension Layer {
  static let authorityKeys = ["authority", "tenant", "authorities"]

  /// The keys, and if one of them names an authority, the others that do.
  static func keysOverriding(_ keys: [String]) -> [String] {
    keys.contains(where: authorityKeys.contains) ? keys + authorityKeys.filter { !keys.contains($0) } : keys
  }

  /// Throws if the layer names its authority in two ways.
  func checkSingleAuthority() throws {
    let sources = Self.authorityKeys.compactMap { self[$0]?.source }
    guard sources.count > 1 else { return }
    let written = sources.reversed().firstNonNil { if case .file(let location) = $0 { location } else { nil } }
    let hint: Hint = "a tenant implies a Microsoft authority; \(written?.removal ?? "keep only one of them")"
    throw sources[1].error("can't be combined with \(sources[0].name)", reason: "authority_contradiction", hint: hint)
  }

  func checkClientID() throws {
    try string("client_id")?.use("client_id_invalid") { try ClientConfiguration.validate(clientID: $0) }
  }

  var namesAuthority: Bool { Self.authorityKeys.contains { self[$0] != nil } }

  /// Checks the client ID at the authority that the layer names; a flag or a variable may replace the default one.
  func checkClientIDAtAuthority() throws {
    // An invalid authority is reported separately.
    guard namesAuthority, let authority = try? chosenAuthority() else { return }
    try string("client_id")?.checkClientID(at: authority)
  }

  func checkRedirectURI() throws {
    try string("redirect_uri")?.use(.redirectURIInvalid) { _ = try RedirectTarget($0) }
  }

  func chosenAuthority() throws -> Authority {
    let url = string("authority")
    // The type of an entry of `authorities` belongs to that entry's URL.
    let entry = url == nil ? try self["authorities"]?.authorities().first : nil
    let type = string("authority_type") ?? entry?.string("type")
    let base = try Self.authority(url: url ?? entry?.string("authority_url"), type: type, known: knownAuthorities())
    guard let tenant = string("tenant") else { return base }
    guard base.kind == .aad else {
      let url = "https://\(Authority.Cloud.public.host)/\(tenant.value)"
      let instead: Hint = tenant.source.ownFile?.setting("issuer", url) ?? "\(command: [url])"
      let hint: Hint = "name Microsoft's authority instead: \(instead)"
      let message = "can't be used: \(base.url.printable()) has no tenants"
      throw tenant.error(message, reason: "authority_contradiction", hint: hint)
    }
    guard let authority = base.inNamedTenant(tenant.value) else {
      let example: Hint = "name a tenant as in contoso.onmicrosoft.com; common means any account"
      let hint = tenant.value.pastedHint ?? tenant.issuerHint ?? tenant.value.intendedTenantHint ?? example
      throw tenant.error("isn't a tenant's ID or domain", reason: .invalidAuthority, hint: hint)
    }
    return authority
  }

  /// The other entries of `authorities`, which are trusted too.
  func knownAuthorities() throws -> [Authority] {
    let entries = try self["authorities"]?.authorities() ?? []
    return try entries.dropFirst().map { try Self.authority(url: $0.string("authority_url"), type: $0.string("type")) }
  }

  private static func authority(
    url: Sourced<String>?,
    type: Sourced<String>?,
    known: [Authority] = []
  ) throws -> Authority {
    let kind = try type.map { type in
      try type.choice(Authority.Kind(rawValue: type.value.lowercased()), reason: "authority_type_invalid")
    }
    if let url, let hint = url.value.pastedHint ?? url.value.tenantHint {
      throw url.error("isn't an authority's URL", reason: .invalidAuthority, hint: hint)
    }
    return try url?.use(.invalidAuthority) { try Authority($0.issuerURL, kind: kind, known: known) }
      ?? .microsoftCommon
  }
}

extension Sourced<String> {
  /// Microsoft's client IDs are GUIDs; a name, an object's URL or the tenant's ID is the usual mistake.
  package func checkClientID(at authority: Authority) throws {
    // Only Microsoft's own clouds have a Graph.
    let isTenant = authority.tenant == value.lowercased()
    guard authority.graphEndpoint != nil, isTenant || UUID(uuidString: value) == nil else { return }
    throw error(
      isTenant ? "is the tenant's ID" : "isn't a Microsoft application (client) ID",
      reason: "client_id_invalid",
      hint: """
        copy it from the Overview page of the app registration; it looks like 11111111-2222-3333-4444-555555555555
        """
    )
  }

  /// How to name an issuer instead of a tenant, if it is a URL.
  fileprivate var issuerHint: Hint? {
    guard value.contains("://"), value.tenantHint == nil, (try? Authority(value.issuerURL)) != nil else { return nil }
    let option: Hint = "\(setting: "authority", value, or: "it as the authority")"
    return "this is an issuer, not a tenant; use \(source.ownFile?.setting("issuer", value) ?? option)"
  }
}

extension Authority {
  /// The same authority in a tenant that a setting names: an ID, a domain, or an audience such as `common`.
  func inNamedTenant(_ name: String) -> Authority? {
    // The tenant becomes a part of the URL; the domain of a login host isn't a tenant's.
    let hosts = Self.cloudHosts(known: [])
    guard !hosts.contains(name.lowercased()), let authority = try? inTenant(name) else { return nil }
    // Other hosts, such as a demo's, may have tenants with other names.
    let isPossible = name.contains(".") || authority.namesTenantByID || authority.isTenantless
    return isPossible || !hosts.contains(host) ? authority : nil
  }
}

extension String {
  /// The domain or the audience that a single word may stand for.
  fileprivate var intendedTenantHint: Hint? {
    guard !contains("."), (try? Authority.microsoftCommon.inTenant(self)) != nil else { return nil }
    let audience = nearest(to: self, in: ["common", "organizations", "consumers"])
    return "did you mean \(audience ?? lowercased() + ".onmicrosoft.com")?"
  }

  /// How to name the tenant instead of an account or a page of Microsoft's portals.
  fileprivate var pastedHint: Hint? {
    let (parts, address) = (split(at: "/"), split(at: "@"))
    if parts.contains(where: ["portal.azure.com", "entra.microsoft.com"].contains) {
      return "copy the directory (tenant) ID from the Overview page of the app registration"
    }
    return parts.count == 1 && address.count == 2 ? "name the tenant by its domain alone: \(address[1])" : nil
  }

  /// How to name a tenant instead of an issuer, if it is an audience, or the ID or the domain of a tenant.
  fileprivate var tenantHint: Hint? {
    let named = try? Authority.microsoftCommon.inTenant(self)
    let isID = named?.isTenantless == true || named?.namesTenantByID == true
    let host = isID ? self : (try? WebURL(issuerURL, .request))?.host
    guard let host, isID || host.hasSuffix(".onmicrosoft.com") else { return nil }
    return "this is a tenant, not an issuer; use \(setting: "tenant", host, or: "it as the tenant")"
  }

  /// The issuer's URL in what users paste: that URL, a host, or the URL of the discovery document.
  var issuerURL: String {
    var url = unquoted
    // The document's path follows the issuer's (OpenID Connect Discovery §4) or precedes it (RFC 8414 §3.1).
    for path in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"] {
      guard let range = url.firstRange(of: path) else { continue }
      url = String(url[..<range.lowerBound] + url[range.upperBound...].prefix { $0 != "?" && $0 != "#" })
    }
    // Microsoft's portal lists the addresses of the endpoints.
    for path in ["/oauth2/v2.0/authorize", "/oauth2/v2.0/token"] where url.hasSuffix(path) {
      url = String(url.dropLast(path.count))
    }
    let host = url.prefix { $0 != "/" && $0 != ":" }
    if host.contains("@") { return url }
    guard url.firstRange(of: "://") == nil, host.contains(".") || host == "localhost" else { return url }
    let isLoopback = (try? WebURL("https://\(url)", .request))?.isLoopback ?? false
    return "\(isLoopback ? "http" : "https")://\(url)"
  }
}
