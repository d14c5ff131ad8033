import FlyingFox

/// The kind of provider; all share one port under different paths.
enum ProviderKind: Sendable, Equatable {
  /// Microsoft Entra's v2 endpoints under a tenant, also for External ID (`ciamlogin.com`).
  case entra(TenantGroup)
  /// A user flow of Azure AD B2C under `/tfp/{tenant}/{policy}`.
  case b2c(Tenant, policy: String)
  /// Active Directory Federation Services under `/adfs`.
  case adfs
  /// A plain OpenID provider under `/oidc`.
  case oidc

  /// The provider at a request's path, or `nil` if the tenant or the user flow is unknown.
  init?(_ request: HTTPRequest) {
    switch (request.routeParameters["tenant"], request.routeParameters["policy"]?.lowercased()) {
    case (nil, _): self = request.path.hasPrefix("/adfs/") ? .adfs : .oidc
    case (let name?, nil):
      guard let group = TenantGroup.named(name) else { return nil }
      self = .entra(group)
    case (let name?, let policy?):
      guard let tenant = Tenant.named(name), policy.hasPrefix("b2c_1_") else { return nil }
      self = .b2c(tenant, policy: policy)
    }
  }

  func isSameProvider(as other: ProviderKind) -> Bool { isEntra && other.isEntra || self == other }

  var isEntra: Bool {
    if case .entra = self { true } else { false }
  }

  var sendsClientInfo: Bool { ![.adfs, .oidc].contains(self) }

  func admits(_ user: DemoUser) -> Bool {
    switch self {
    case .entra(let group): group.tenants.contains(user.tenant)
    case .b2c(let tenant, _): user.tenant == tenant
    case .adfs, .oidc: true
    }
  }
}
