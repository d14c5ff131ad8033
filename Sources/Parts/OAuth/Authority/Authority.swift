public import FoundationEssentials
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
  /// In lowercase, with the port unless it is the scheme's default.
  package private(set) var host: String
  /// The tenant, or the audience (`common`, `organizations`, `consumers`); nil for `adfs` and `oidc`.
  package private(set) var tenant: String?
  /// Whether the URL is plain `http`, which only a loopback host may use.
  package private(set) var isPlainHTTP = false
  package private(set) var subject = Subject.account

  /// Work, school and personal accounts in Microsoft's public cloud: MSAL's default.
  public static let microsoftCommon = Authority(
    kind: .aad,
    url: "https://\(MicrosoftCloud.publicHost)/common",
    host: MicrosoftCloud.publicHost,
    tenant: "common"
  )

  /// Scheme, host and port.
  private var origin: String { (isPlainHTTP ? "http://" : "https://") + host }
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
    let parsed: WebURL
    do {
      parsed = try WebURL(url)
    } catch {
      throw .invalidAuthority("URL \(error.reason)")
    }
    guard parsed.query == nil else { throw .invalidAuthority("URL has a query (?…)") }
    self.kind = kind ?? Kind(of: parsed, known: known)
    let path = try self.kind.canonicalPath(of: parsed)
    self.url = ([parsed.origin] + path.segments).joined(separator: "/")
    self.host = parsed.hostAndPort
    self.tenant = path.tenant
    self.isPlainHTTP = parsed.scheme == "http"
  }

  /// Creates an authority in one of Microsoft Entra's clouds (MSAL:
  /// `MSALAADAuthority(cloudInstance:audienceType:rawTenant:)`).
  public static func microsoft(_ audience: Audience, cloud: Cloud = .public) throws(AuthenticationError) -> Authority {
    try microsoft(audience, host: cloud.host)
  }

  /// Creates an authority of Microsoft Entra ID at a host (MSAL: `MSALAADAuthority(environment:audienceType:rawTenant:)`).
  public static func microsoft(_ audience: Audience, host: String) throws(AuthenticationError) -> Authority {
    let segment = audience.segment
    // A slash or a question mark would change the URL's structure.
    guard !segment.isEmpty, (host + segment).allSatisfy({ !"/?#@\\".contains($0) && !$0.isWhitespace }) else {
      let message = segment.isEmpty ? "there is no tenant" : "the host or the tenant is invalid"
      throw AuthenticationError(.invalidConfiguration, message, reason: "authority_invalid", hint: tenantHint)
    }
    return try Authority("https://\(host)/\(segment)", kind: .aad)
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

  /// Reads the authorization server that a resource names (RFC 9728), or that it is itself.
  package init(issuer: String, of resource: String?, session: String? = nil) throws(AuthenticationError) {
    try self.init(issuer, kind: .oidc)
    subject = .resource(url: resource, issuer: issuer, session: session)
  }

  /// Whether the provider is one of Microsoft's cloud services.
  package var isMicrosoft: Bool { kind == .aad || kind == .b2c || kind == .ciam }

  /// Whether scopes that differ in case are equal: at Microsoft they are, elsewhere not (RFC 6749 §3.3).
  package var ignoresScopeCase: Bool { kind != .oidc }

  /// Whether the URL names an audience instead of a tenant; the ID token then names the tenant.
  package var isTenantless: Bool {
    kind == .aad && ["common", "organizations", "consumers"].contains(tenant)
  }

  /// Whether the tenant is named by its ID, which tokens and the token cache use too.
  package var namesTenantByID: Bool { tenant.map(IssuerRule.isTenantID) ?? false }

  /// The URL of the discovery document (OpenID Connect Discovery §4), or the first one to try.
  package var metadataURL: String { metadataURLs[0] }

  /// The URLs to try in turn: the server of a resource may use each of them (RFC 8414 §3.1, §5).
  package var metadataURLs: [String] {
    let wellKnown = "/.well-known/openid-configuration"
    let path = url.dropFirst(origin.count)
    return switch kind {
    case .oidc where !subject.isAccount:
      [origin + "/.well-known/oauth-authorization-server" + path, origin + wellKnown + path]
        + (path.isEmpty ? [] : [url + wellKnown])
    case .aad, .b2c, .ciam: [url + "/v2.0" + wellKnown]
    case .adfs, .oidc: [url + wellKnown]
    }
  }

  /// The metadata of a resource's own authorization server that publishes none (MCP of 2025-03-26, "Fallbacks for Servers
  /// without Metadata Discovery").
  package var impliedMetadata: [UInt8]? {
    guard case .resource(nil, let issuer, _) = subject else { return nil }
    let metadata: JSONValue = [
      "issuer": .string(issuer), "authorization_endpoint": .string(url + "/authorize"),
      "token_endpoint": .string(url + "/token"), "registration_endpoint": .string(url + "/register"),
      "code_challenge_methods_supported": ["S256"],
    ]
    return metadata.serialized()
  }

  /// Entra's metadata without a request, for tokens that don't come from its endpoints.
  package var standardMetadata: [UInt8] {
    let issuerHost = MicrosoftCloud.of(host)?.hosts.first ?? host
    let metadata: JSONValue = [
      "issuer": .string("\(isPlainHTTP ? "http" : "https")://\(issuerHost)/\(IssuerRule.placeholder)/v2.0"),
      "authorization_endpoint": .string(url + "/oauth2/v2.0/authorize"),
      "token_endpoint": .string(url + "/oauth2/v2.0/token"), "jwks_uri": .string(url + "/discovery/v2.0/keys"),
    ]
    return metadata.serialized()
  }

  /// The host as the token cache names it.
  package var environment: String { host }

  /// All hosts that the token cache may name this cloud by, this authority's first.
  package var environmentAliases: [String] { Self.environmentAliases(of: environment) }

  /// Whether both belong to one provider: the same authority, or tenants of one of Microsoft's clouds.
  package func isOfSameProvider(as other: Authority) -> Bool {
    self == other || kind == .aad && other.kind == .aad && environmentAliases.contains(other.environment)
  }

  /// Whether a URL is at another provider that is known to have users: Microsoft, or one of `known`.
  package func isForeign(_ url: WebURL, known: [Authority] = []) -> Bool {
    guard url.hostAndPort != host else { return false }
    if known.contains(where: { $0.host == url.hostAndPort && !isOfSameProvider(as: $0) }) { return true }
    return Self.isMicrosoft(url.host) && !isMicrosoft && !Self.isMicrosoft(host)
  }

  private static func isMicrosoft(_ host: String) -> Bool {
    MicrosoftCloud.of(host) != nil || Kind.ciamTenant(host: host) != nil || Kind.isB2C(host: host)
  }

  /// All hosts of the cloud that a host belongs to, that host first.
  package static func environmentAliases(of host: String) -> [String] {
    let host = host.lowercased()
    return [host] + (MicrosoftCloud.of(host)?.hosts ?? []).filter { $0 != host }
  }

  /// What distinguishes issuers on one host, without the leading slash; nil for Microsoft.
  package var issuerPath: String? {
    guard !isMicrosoft else { return nil }
    return url.dropFirst(origin.count + 1) + subject.fragment
  }

  /// The scopes to request when neither the caller nor the configuration names any, besides OpenID Connect's.
  ///
  /// `User.Read` with Microsoft. Users of Azure AD B2C have no Microsoft Graph; there the client ID as a scope requests a
  /// token for the application itself. None elsewhere.
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

  /// The Microsoft Graph of this authority's cloud; nil where there is none or none is known.
  public var graphEndpoint: URL? {
    let host: String? =
      switch kind {
      case .aad: MicrosoftCloud.of(host)?.graphHost
      case .ciam: MicrosoftCloud.publicGraphHost
      case .b2c, .adfs, .oidc: nil
      }
    return host.flatMap { URL(string: "https://\($0)") }
  }

  /// The same provider, in one tenant.
  package func inTenant(_ tenant: String) throws(AuthenticationError) -> Authority {
    var segments = url.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    // https: / "" / host / [tfp] / tenant / …
    guard let index = segments.indices.first(where: { $0 > 2 && segments[$0] == self.tenant }) else {
      throw .invalidTenant(tenant, "can't be chosen: \(url) has no tenants", hint: nil)
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

  /// The hosts of all clouds that an account of Microsoft Entra may be stored under.
  package static func allClouds(known: [Authority]) -> [String] {
    MicrosoftCloud.allHosts + known.filter { $0.kind == .aad }.map(\.host)
  }

  private static let tenantHint: Hint = "a tenant is an ID or a domain name, such as contoso.onmicrosoft.com"

  /// Whether a string can be a tenant: a GUID, a domain name or one of the audiences.
  static func isTenant(_ string: String) -> Bool {
    (1...253).contains(string.utf8.count) && string.first != "." && string.first != "-"
      && string.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }
  }
}

/// Whose tokens an authority issues.
package enum Subject: Sendable, Hashable {
  /// A user, identified by an ID token.
  case account
  /// A protected resource that named the authority (RFC 9728 §2); there is no ID token, and the user stays unknown.
  ///
  /// The URL is its identifier for the parameter `resource` (RFC 8707); `nil` if it has no metadata, so that its own server
  /// is the issuer.
  /// The session is the user's name for one of several.
  case resource(url: String?, issuer: String, session: String? = nil)

  package var isAccount: Bool { self == .account }

  package var resource: String? { if case .resource(let url, _, _) = self { url } else { nil } }

  /// What a resource's session is stored as.
  package var name: String? {
    guard case .resource(let url, let issuer, let session) = self else { return nil }
    return (url ?? issuer) + (session.map { "#" + $0 } ?? "")
  }

  /// Distinguishes a resource's sessions from the issuer's accounts: no issuer has a fragment.
  package var fragment: String { name.map { "#" + $0 } ?? "" }
}
