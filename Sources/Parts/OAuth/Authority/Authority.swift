public import MSAuthCore

/// The provider, and within Microsoft the audience or tenant, where users sign in (MSAL: `MSALAuthority`).
///
/// Two authorities are equal when their canonical URLs and kinds are.
public struct Authority: Sendable, Hashable {
  /// The kinds of provider that differ in URLs and parameters: MSAL's authority types, and `oidc`.
  public enum Kind: String, Sendable, CaseIterable {
    /// Microsoft Entra ID: work, school and personal accounts.
    case aad
    /// Azure AD B2C.
    case b2c
    /// Microsoft Entra External ID (customer identity and access management, `ciamlogin.com`).
    case ciam
    /// Active Directory Federation Services.
    case adfs
    /// Any other OpenID Connect provider; the URL is its issuer.
    case oidc
  }

  /// The kind of provider.
  public let kind: Kind
  /// The canonical URL, without a trailing slash.
  public private(set) var url: String
  /// The host in lowercase, with the port unless it is the scheme's default.
  package private(set) var host: String
  /// The tenant, or the audience (`common`, `organizations`, `consumers`); `nil` for `adfs` and `oidc`.
  package private(set) var tenant: String?
  /// Whether the URL is plain `http`, which only a loopback host may use.
  private(set) var isPlainHTTP = false
  /// Whose tokens it issues.
  package private(set) var subject = Subject.account

  /// Work, school and personal accounts in Microsoft's public cloud: MSAL's default.
  public static let microsoftCommon = Authority(
    kind: .aad,
    url: "https://\(MicrosoftCloud.publicHost)/common",
    host: MicrosoftCloud.publicHost,
    tenant: "common"
  )

  /// Scheme, host and port.
  var origin: String { (isPlainHTTP ? "http://" : "https://") + host }
}

extension Authority {
  /// Reads an authority's URL.
  ///
  /// - Parameters:
  ///   - url: `https`, or `http` to a loopback host; without a query or user part.
  ///   - kind: The kind of provider, if the URL doesn't determine it (a private cloud, a test provider).
  ///   - known: Authorities that the application trusts; URLs on the same host have the same kind.
  /// - Throws: `AuthenticationError.Code.invalidConfiguration`.
  public init(_ url: String, kind: Kind? = nil, known: [Authority] = []) throws(AuthenticationError) {
    let parsed = try WebURL(url) { .invalidAuthority("URL \($0)") }
    guard parsed.query == nil else { throw .invalidAuthority("URL has a query (?…)") }
    self.kind = kind ?? Kind(of: parsed, known: known)
    let path = try self.kind.canonicalPath(of: parsed)
    self.url = ([parsed.origin] + path.segments).joined(separator: "/")
    self.host = parsed.hostAndPort
    self.tenant = path.tenant
    self.isPlainHTTP = parsed.scheme == "http"
  }

  /// Creates an authority of Azure AD B2C, such as
  /// `https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/b2c_1_sign_in`.
  public static func b2c(_ url: String) throws(AuthenticationError) -> Authority { try Authority(url, kind: .b2c) }

  /// Creates an authority of Microsoft Entra External ID, such as `https://contoso.ciamlogin.com`.
  public static func ciam(_ url: String) throws(AuthenticationError) -> Authority { try Authority(url, kind: .ciam) }

  /// Creates an authority of Active Directory Federation Services, such as `https://fs.contoso.com/adfs`.
  public static func adfs(_ url: String) throws(AuthenticationError) -> Authority { try Authority(url, kind: .adfs) }

  /// Creates an authority of any OpenID Connect provider by its exact issuer.
  public static func oidc(issuer: String) throws(AuthenticationError) -> Authority {
    try Authority(issuer, kind: .oidc)
  }

  /// Creates a resource's authority: the authorization server that it names (RFC 9728), or the resource itself.
  package init(issuer: String, of resource: String?, session: String? = nil) throws(AuthenticationError) {
    try self.init(issuer, kind: .oidc)
    subject = .resource(url: resource, issuer: issuer, session: session)
  }

  /// Whether the provider is one of Microsoft's cloud services.
  package var isMicrosoft: Bool { kind == .aad || kind == .b2c || kind == .ciam }

  /// Whether scopes that differ in case are equal: at Microsoft they are, elsewhere not (RFC 6749 §3.3).
  package var ignoresScopeCase: Bool { kind != .oidc }

  /// Whether the URL names an audience instead of a tenant; the ID token then names the tenant.
  package var isTenantless: Bool { kind == .aad && ["common", "organizations", "consumers"].contains(tenant) }

  /// Whether the tenant is named by its ID, which tokens and the token cache use too.
  package var namesTenantByID: Bool { tenant.map(IssuerRule.isTenantID) ?? false }

  /// The part of the URL that distinguishes issuers on one host, without the leading slash; `nil` for Microsoft.
  package var issuerPath: String? {
    guard !isMicrosoft else { return nil }
    return url.dropFirst(origin.count + 1) + subject.fragment
  }

  /// Returns the scopes to request, besides OpenID Connect's, when neither the caller nor the configuration names any.
  ///
  /// They are `User.Read` for Microsoft Entra ID and External ID. For Azure AD B2C, whose users have no Microsoft Graph,
  /// the client ID is the scope: it requests a token for the application itself. Other providers have no default.
  ///
  /// - Parameter clientID: The application's client ID.
  /// - Returns: One scope or none.
  public func defaultScopes(for clientID: String) -> [String] {
    switch kind {
    case .aad, .ciam: ["User.Read"]
    case .b2c: Scopes(usable: [clientID]).names
    case .adfs, .oidc: []
    }
  }

  /// The same authority for one tenant.
  package func inTenant(_ tenant: String) throws(AuthenticationError) -> Authority {
    var segments = url.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    // https: / "" / host / [tfp] / tenant / …
    guard let index = segments.indices.first(where: { $0 > 2 && segments[$0] == self.tenant }) else {
      throw .invalidTenant(tenant, "can't be used: \(url) has no tenants", hint: nil)
    }
    guard Self.isTenant(tenant) else {
      throw .invalidTenant(tenant, "is neither an ID nor a domain name", hint: Self.tenantHint)
    }
    segments[index] = tenant.lowercased()
    var copy = self
    copy.url = segments.joined(separator: "/")
    copy.tenant = segments[index]
    return copy
  }

  /// The same audience or tenant in another cloud of Microsoft Entra.
  ///
  /// A code or a refresh token is sent there, so only Microsoft's hosts and configured authorities are accepted.
  package func inCloud(_ host: String, known: [Authority]) -> Authority? {
    let host = host.lowercased()
    let configured = known.first { $0.kind == .aad && $0.host == host }
    guard kind == .aad, configured != nil || MicrosoftCloud.of(host) != nil else { return nil }
    var copy = self
    copy.host = host
    copy.isPlainHTTP = configured?.isPlainHTTP ?? false
    copy.url = copy.origin + url.dropFirst(origin.count)
    return copy
  }

  static let tenantHint: Hint = "a tenant is an ID or a domain name, such as contoso.onmicrosoft.com"

  /// Whether a string can be a tenant: a GUID, a domain name or one of the audiences.
  static func isTenant(_ string: String) -> Bool {
    (1...253).contains(string.utf8.count) && string.first != "." && string.first != "-"
      && string.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-.".utf8.contains($0) }
  }
}
