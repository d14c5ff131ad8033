import MSAuth

/// The result of a successful token request; its description contains no token.
public final class MSALResult: NSObject, Sendable {
  private let result: TokenResult

  init(_ result: TokenResult) { self.result = result }

  /// The access token, to be sent as ``authorizationHeader`` and never logged.
  public var accessToken: String { result.accessToken }
  /// When the access token expires.
  public var expiresOn: Date? { result.expiresOn }
  /// Whether the token's lifetime was extended because the provider is unreachable; never on Linux.
  public var extendedLifeTimeToken: Bool { false }
  /// The ID token, if there is one.
  public var idToken: String? { result.idToken }
  /// The scopes granted.
  public var scopes: [String] { result.scopes }
  /// The account in the tenant that issued the token.
  public var tenantProfile: MSALTenantProfile {
    let tenant = result.tenantID ?? ""
    let home = MSALAccountId(result.account.identifier).tenantId
    let known = result.account.tenantProfiles.first { $0.tenantID == tenant }
    let unlisted = TenantProfile(
      identifier: result.account.claims["oid"]?.string ?? result.account.claims["sub"]?.string ?? "",
      tenantID: tenant,
      isHomeTenant: home == nil || tenant.lowercased() == home?.lowercased(),
      claims: result.account.claims
    )
    return MSALTenantProfile(known ?? unlisted, in: result.account)
  }
  /// The account.
  public var account: MSALAccount {
    var account = result.account
    // As in MSAL, a guest's claims are the tenant profile's alone.
    if !tenantProfile.isHomeTenantProfile { account.claims = [:] }
    return MSALAccount(account, isListed: false)
  }
  /// The authority to use in later silent calls.
  public var authority: MSALAuthority { MSALAuthority(result.authority) }
  /// The request's correlation ID, for the provider's support; all zeros if the token is from the cache and the call named
  /// none.
  public var correlationId: UUID { UUID(uuidString: result.correlationID) ?? Self.noCorrelation }
  /// The value of an `Authorization` header.
  public var authorizationHeader: String { result.authorizationHeader }
  /// How the token is sent, `Bearer`.
  public var authenticationScheme: String { result.tokenType }

  /// The account and the expiry, without the token.
  public override var description: String { result.description }

  /// A call without a correlation ID that returns a cached token sends no request.
  private static let noCorrelation = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
