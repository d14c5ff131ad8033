/// The kind of provider a request is for; all share one port under different paths.
enum ProviderKind: Sendable, Equatable {
  /// Microsoft Entra's v2 endpoints under a tenant; External ID (`ciamlogin.com`) speaks the same.
  case entra(Audience)
  /// A user flow of Azure AD B2C under `/tfp/{tenant}/{policy}`.
  case b2c(Tenant, policy: String)
  /// Active Directory Federation Services under `/adfs`.
  case adfs
  /// A plain OpenID provider under `/oidc`.
  case oidc

  /// Whether codes and tokens of one are valid at the other.
  func isSameProvider(as other: ProviderKind) -> Bool {
    switch (self, other) {
    case (.entra, .entra): true
    default: self == other
    }
  }

  var isEntra: Bool { isSameProvider(as: .entra(.common)) }

  /// Whether it returns `client_info` when asked.
  var sendsClientInfo: Bool {
    switch self {
    case .entra, .b2c: true
    case .adfs, .oidc: false
    }
  }

  /// Whether the person may sign in here.
  func admits(_ person: Person) -> Bool {
    switch self {
    case .entra(let audience): audience.admits(person)
    case .b2c(let tenant, _): person.tenant == tenant
    case .adfs, .oidc: true
    }
  }
}
