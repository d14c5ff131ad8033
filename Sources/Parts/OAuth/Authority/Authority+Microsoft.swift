public import FoundationEssentials
public import MSAuthCore

extension Authority {
  /// Microsoft's clouds (MSAL: `MSALAzureCloudInstance`).
  public enum Cloud: String, Sendable, CaseIterable {
    /// The public cloud.
    case `public` = "login.microsoftonline.com"
    /// China.
    case china = "login.chinacloudapi.cn"
    /// Germany until 2021.
    case germany = "login.microsoftonline.de"
    /// The government of the United States.
    case usGovernment = "login.microsoftonline.us"
    /// France's sovereign cloud.
    case france = "login.sovcloud-identity.fr"
    /// Germany's sovereign cloud, Delos.
    case delos = "login.sovcloud-identity.de"
    /// The sovereign cloud of Singapore's government.
    case singapore = "login.sovcloud-identity.sg"

    /// The host of its authorities.
    public var host: String { rawValue }
  }

  /// Which Microsoft accounts may sign in (MSAL: `MSALAudienceType`).
  public enum Audience: Sendable, Hashable {
    /// Work, school and personal accounts: `common`.
    case workSchoolAndPersonal
    /// Work and school accounts of any tenant: `organizations`.
    case workAndSchool
    /// Personal accounts: `consumers`.
    case personal
    /// Accounts of one tenant and its guests: the tenant's ID or domain name.
    case tenant(String)

    /// The path segment of an authority's URL that names it.
    var segment: String {
      switch self {
      case .workSchoolAndPersonal: "common"
      case .workAndSchool: "organizations"
      case .personal: "consumers"
      case .tenant(let tenant): tenant
      }
    }
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
      let message = segment.isEmpty ? "the tenant is empty" : "the host or the tenant is invalid"
      throw AuthenticationError(.invalidConfiguration, message, reason: .invalidAuthority, hint: tenantHint)
    }
    return try Authority("https://\(host)/\(segment)", kind: .aad)
  }

  /// The URL of Microsoft Graph in this authority's cloud; `nil` if there is none or it isn't known.
  public var graphEndpoint: URL? {
    let host: String? =
      switch kind {
      case .aad: MicrosoftCloud.of(host)?.graphHost
      case .ciam: MicrosoftCloud.publicGraphHost
      case .b2c, .adfs, .oidc: nil
      }
    return host.flatMap { URL(string: "https://\($0)") }
  }

  /// Whether a scope or resource is Microsoft Graph's, in any cloud.
  package static func isGraph(_ resource: String) -> Bool {
    (try? WebURL(resource, .endpoint)).map { MicrosoftCloud.graphHosts.contains($0.host) } ?? false
  }
}

// The names of a cloud in the token cache, and the hosts of one provider.
extension Authority {
  /// The host as the token cache names it.
  package var environment: String { host }

  /// All hosts that the token cache may name this cloud by, this authority's first.
  package var environmentAliases: [String] { Self.environmentAliases(of: environment) }

  /// Microsoft's cloud that the host belongs to; `nil` if it has no name.
  package var cloud: Cloud? { Cloud.allCases.first { hasAlias($0.host) } }

  /// Whether a host is one of ``environmentAliases``.
  package func hasAlias(_ host: String) -> Bool { environmentAliases.contains(host.lowercased()) }

  /// Whether both belong to one provider: the same authority, or tenants of one of Microsoft's clouds.
  package func isOfSameProvider(as other: Authority) -> Bool {
    self == other || kind == .aad && other.kind == .aad && environmentAliases.contains(other.environment)
  }

  /// Whether a URL belongs to another known provider: to Microsoft, or to one of `known`.
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

  /// The hosts of all clouds that an account of Microsoft Entra may be stored under.
  package static func cloudHosts(known: [Authority]) -> [String] {
    MicrosoftCloud.allHosts + known.filter { $0.kind == .aad }.map(\.host)
  }
}
