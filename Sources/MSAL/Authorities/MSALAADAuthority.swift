import MSAuth

/// Which accounts may sign in.
public enum MSALAudienceType: Int, Sendable {
  /// Work, school and personal accounts (`common`).
  case azureADAndPersonalMicrosoftAccountAudience
  /// Work and school accounts of any tenant (`organizations`).
  case azureADMultipleOrgsAudience
  /// Accounts of one tenant.
  case azureADMyOrgOnlyAudience
  /// Personal accounts (`consumers`).
  case personalMicrosoftAccountAudience
}

/// Microsoft's clouds.
public enum MSALAzureCloudInstance: Int, Sendable {
  /// The public cloud, `login.microsoftonline.com`.
  case publicCloudInstance
  /// China, `login.chinacloudapi.cn`.
  case chinaCloudInstance
  /// Germany until 2021, `login.microsoftonline.de`.
  case germanyCloudInstance
  /// The government of the United States, `login.microsoftonline.us`.
  case usGovernmentCloudInstance
  /// France, `login.sovcloud-identity.fr`.
  case franceCloudInstance
  /// Germany, `login.sovcloud-identity.de`.
  case delosCloudInstance
  /// The government of Singapore, `login.sovcloud-identity.sg`.
  case govSGCloudInstance
}

/// An authority of Microsoft Entra ID.
public final class MSALAADAuthority: MSALAuthority, @unchecked Sendable {
  /// Reads an Entra authority's URL, such as `https://login.microsoftonline.com/common`, at any host.
  public convenience init(url: URL) throws {
    try self.init(reading: url.absoluteString, as: .aad)
  }

  /// Reads an Entra authority's URL and replaces its tenant, unless `rawTenant` is `nil`.
  public convenience init(url: URL, rawTenant: String?) throws {
    guard let rawTenant else {
      try self.init(url: url)
      return
    }
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
      throw MSALInternalError.invalidParameter.error("the authority isn't a URL")
    }
    parts.path = "/common"
    try self.init(withNSErrors { try Authority(parts.string ?? "", kind: .aad).inTenant(rawTenant) })
  }

  /// Creates an authority of one of Microsoft's clouds; only ``MSALAudienceType/azureADMyOrgOnlyAudience`` takes a
  /// tenant.
  public convenience init(
    cloudInstance: MSALAzureCloudInstance,
    audienceType: MSALAudienceType,
    rawTenant: String?
  ) throws {
    try self.init(withNSErrors { try .microsoft(audienceType.audience(rawTenant), cloud: cloudInstance.cloud) })
  }

  /// Creates an authority at a host; only ``MSALAudienceType/azureADMyOrgOnlyAudience`` takes a tenant.
  public convenience init(environment: String, audienceType: MSALAudienceType, rawTenant: String?) throws {
    try self.init(withNSErrors { try .microsoft(audienceType.audience(rawTenant), host: environment) })
  }
}

extension MSALAudienceType {
  /// The audience as an MSAuth value; MSAL rejects a tenant with a multitenant audience.
  func audience(_ tenant: String?) throws -> Authority.Audience {
    let audience: Authority.Audience =
      switch self {
      case .azureADAndPersonalMicrosoftAccountAudience: .workSchoolAndPersonal
      case .azureADMultipleOrgsAudience: .workAndSchool
      case .personalMicrosoftAccountAudience: .personal
      case .azureADMyOrgOnlyAudience: .tenant(tenant ?? "")
      }
    guard self != .azureADMyOrgOnlyAudience, tenant != nil else { return audience }
    let message = "only an audience of one tenant takes a tenant"
    throw AuthenticationError(.invalidParameter, message, reason: "raw_tenant_unexpected")
  }
}

extension MSALAzureCloudInstance {
  var cloud: Authority.Cloud {
    switch self {
    case .publicCloudInstance: .public
    case .chinaCloudInstance: .china
    case .germanyCloudInstance: .germany
    case .usGovernmentCloudInstance: .usGovernment
    case .franceCloudInstance: .france
    case .delosCloudInstance: .delos
    case .govSGCloudInstance: .singapore
    }
  }
}
