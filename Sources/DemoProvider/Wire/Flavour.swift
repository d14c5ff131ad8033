/// Which kind of provider a request is talking to; both live on one port under different paths.
enum Flavour: Sendable, Equatable {
  /// Microsoft Entra's v2 endpoints under a tenant.
  case entra(Audience)
  /// A plain OpenID provider under `/oidc`.
  case oidc

  /// Whether codes and tokens of the one are good at the other.
  func isSameProvider(as other: Flavour) -> Bool {
    switch (self, other) {
    case (.entra, .entra), (.oidc, .oidc): true
    default: false
    }
  }

  var isEntra: Bool { isSameProvider(as: .entra(.common)) }

  /// Whether the person may sign in here.
  func admits(_ person: Person) -> Bool {
    switch self {
    case .entra(let audience): audience.admits(person)
    case .oidc: true
    }
  }
}
