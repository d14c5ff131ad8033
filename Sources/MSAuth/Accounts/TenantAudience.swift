/// The accounts that an authority of Microsoft can issue tokens for, as far as the store shows it.
enum TenantAudience: Sendable {
  case all
  case personal
  case workAndSchool
  /// Accounts whose home is the tenant, and guests that have signed in there; `names` are the realms in the store.
  case tenant(names: [String])
  /// The domain of a tenant that couldn't be looked up, so its accounts may not be found.
  case unknown(domain: String, AuthenticationError)

  init(_ authority: Authority, _ context: Context, mayFetch: Bool = false) async {
    switch authority.tenant {
    case _ where !authority.isMicrosoft, "common", nil: self = .all
    case "organizations" where authority.isTenantless: self = .workAndSchool
    case "consumers" where authority.isTenantless: self = .personal
    case let tenant?:
      if authority.namesTenantByID {
        self = .tenant(names: [tenant])
      } else if let metadata = await context.dependencies.cachedMetadata(of: authority) {
        self = metadata.tenantID.map { .tenant(names: [$0, tenant]) } ?? .all
      } else if mayFetch, context.configuration.looksUpTenants, !context.dependencies.isInBackground {
        do {
          let id = try await context.dependencies.metadata(of: authority).tenantID
          self = .tenant(names: [id, tenant].compactMap(\.self))
        } catch {
          context.configuration.log(
            .warning,
            """
            the accounts of \(organization: tenant) are unknown, since the tenant couldn't be looked up: \(user: error.message)
            """
          )
          self = .unknown(domain: tenant, error)
        }
      } else {
        self = .all
      }
    }
  }

  /// Why the tenant couldn't be looked up.
  var lookupError: AuthenticationError? { if case .unknown(_, let error) = self { error } else { nil } }

  func admits(_ account: Account) -> Bool {
    admits(account.identifier, realms: account.tenantProfiles.map(\.tenantID))
  }

  func admits(_ identifier: String, realms: [String]) -> Bool {
    let home = Account.homeTenant(in: identifier)
    switch self {
    case .all: return true
    // An ID without a tenant, from another library, may be of either kind.
    case .personal: return home.map { $0 == Self.personalTenant } ?? true
    case .workAndSchool: return home != Self.personalTenant
    case .unknown(let domain, _): return TenantAudience.tenant(names: [domain]).admits(identifier, realms: realms)
    case .tenant(let names): return (realms + [home].compactMap(\.self)).contains { names.contains($0.lowercased()) }
    }
  }

  private static let personalTenant = "9188040d-6c67-4c5b-b112-36a304b66dad"
}
