/// The kind of provider; all share one port under different paths.
enum ProviderKind: Sendable, Equatable {
  /// Microsoft Entra's v2 endpoints under a tenant, also for External ID (`ciamlogin.com`).
  case entra(Audience)
  /// A user flow of Azure AD B2C under `/tfp/{tenant}/{policy}`.
  case b2c(Tenant, policy: String)
  /// Active Directory Federation Services under `/adfs`.
  case adfs
  /// A plain OpenID provider under `/oidc`.
  case oidc

  func isSameProvider(as other: ProviderKind) -> Bool {
    switch (self, other) {
    case (.entra, .entra): true
    default: self == other
    }
  }

  var isEntra: Bool { isSameProvider(as: .entra(.common)) }

  var sendsClientInfo: Bool {
    switch self {
    case .entra, .b2c: true
    case .adfs, .oidc: false
    }
  }

  func admits(_ user: DemoUser) -> Bool {
    switch self {
    case .entra(let audience): audience.admits(user)
    case .b2c(let tenant, _): user.tenant == tenant
    case .adfs, .oidc: true
    }
  }
}
