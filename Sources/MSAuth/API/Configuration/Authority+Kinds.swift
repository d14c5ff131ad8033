import Core

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
    /// Accounts of one tenant, and guests that it knows: the tenant's id or domain.
    case tenant(String)

    var segment: String {
      switch self {
      case .workSchoolAndPersonal: "common"
      case .workAndSchool: "organizations"
      case .personal: "consumers"
      case .tenant(let tenant): tenant
      }
    }
  }

  /// Makes an authority of Microsoft Entra ID (MSAL: `MSALAADAuthority(cloudInstance:audienceType:rawTenant:)`).
  ///
  /// - Parameters:
  ///   - cloud: The cloud.
  ///   - audience: Which accounts may sign in.
  /// - Throws: ``AuthenticationError`` with ``AuthenticationError/Code/invalidConfiguration`` when the tenant is not one.
  /// - Returns: The authority.
  public static func microsoft(_ cloud: Cloud = .public, _ audience: Audience) throws -> Authority {
    try microsoft(host: cloud.host, audience)
  }

  /// Makes an authority of Microsoft Entra ID at a host (MSAL: `MSALAADAuthority(environment:audienceType:rawTenant:)`).
  ///
  /// - Parameters:
  ///   - host: The host, with a port where it is not the scheme's.
  ///   - audience: Which accounts may sign in.
  /// - Throws: ``AuthenticationError`` with ``AuthenticationError/Code/invalidConfiguration``.
  /// - Returns: The authority.
  public static func microsoft(host: String, _ audience: Audience) throws -> Authority {
    let segment = audience.segment
    // A slash or a question mark would make another URL of it than the one that was meant.
    guard !segment.isEmpty, (host + segment).allSatisfy({ !"/?#@\\".contains($0) && !$0.isWhitespace }) else {
      throw AuthenticationError(
        .invalidConfiguration,
        segment.isEmpty ? "there is no tenant" : "the host or the tenant is not one",
        reason: .authorityInvalid,
        remedy: .advice("a tenant is an ID or a domain name, such as contoso.onmicrosoft.com")
      )
    }
    return try Authority("https://\(host)/\(segment)", kind: .aad)
  }

  /// Makes an authority of Azure AD B2C (MSAL: `MSALB2CAuthority`).
  ///
  /// - Parameter url: Such as `https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/b2c_1_sign_in`.
  /// - Throws: ``AuthenticationError`` with ``AuthenticationError/Code/invalidConfiguration``.
  /// - Returns: The authority.
  public static func b2c(_ url: String) throws -> Authority { try Authority(url, kind: .b2c) }

  /// Makes an authority of Microsoft Entra External ID (MSAL: `MSALCIAMAuthority`).
  ///
  /// - Parameter url: Such as `https://contoso.ciamlogin.com`; without a path the tenant is taken from the host.
  /// - Throws: ``AuthenticationError`` with ``AuthenticationError/Code/invalidConfiguration``.
  /// - Returns: The authority.
  public static func ciam(_ url: String) throws -> Authority { try Authority(url, kind: .ciam) }

  /// Makes an authority of Active Directory Federation Services.
  ///
  /// - Parameter url: Such as `https://fs.contoso.com/adfs`.
  /// - Throws: ``AuthenticationError`` with ``AuthenticationError/Code/invalidConfiguration``.
  /// - Returns: The authority.
  public static func adfs(_ url: String) throws -> Authority { try Authority(url, kind: .adfs) }

  /// Makes an authority of any OpenID Connect provider.
  ///
  /// - Parameter issuer: The provider's issuer, to the letter.
  /// - Throws: ``AuthenticationError`` with ``AuthenticationError/Code/invalidConfiguration``.
  /// - Returns: The authority.
  public static func oidc(issuer: String) throws -> Authority { try Authority(issuer, kind: .oidc) }
}
