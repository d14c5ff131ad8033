package struct Tenant: Sendable, Equatable {
  package var id: String
  package var name: String
  /// The label before `onmicrosoft.com`.
  package var domain: String?

  package static let contoso = Tenant(id: "aaaabbbb-0000-cccc-1111-dddd2222eeee", name: "Contoso", domain: "contoso")
  static let bletchley = Tenant(
    id: "bbbbcccc-1111-dddd-2222-eeee3333ffff",
    name: "Bletchley Park",
    domain: "bletchley"
  )
  /// The tenant of personal accounts; clients know Microsoft's GUID for it.
  package static let personal = Tenant(id: "9188040d-6c67-4c5b-b112-36a304b66dad", name: "Personal accounts")

  package static let all: [Tenant] = [contoso, bletchley, personal]

  /// Finds a tenant by ID or `onmicrosoft.com` name, ignoring case.
  static func named(_ name: String) -> Tenant? {
    let name = name.lowercased()
    return all.first { $0.id == name || $0.domain.map { "\($0).onmicrosoft.com" } == name }
  }
}

/// The tenant part of a Microsoft Entra authority: which accounts may sign in.
struct TenantGroup: Sendable, Equatable {
  /// The last part of the authority's URL.
  var segment: String
  var tenants: [Tenant]

  static let common = TenantGroup(segment: "common", tenants: Tenant.all)
  private static let groups = [
    common, TenantGroup(segment: "organizations", tenants: [.contoso, .bletchley]),
    TenantGroup(segment: "consumers", tenants: [.personal]),
  ]

  static func named(_ segment: String) -> TenantGroup? {
    groups.first { $0.segment == segment.lowercased() }
      ?? Tenant.named(segment).map { TenantGroup(segment: $0.id, tenants: [$0]) }
  }

  /// The tenant in the metadata's issuer: a template if it depends on the account.
  var issuerSegment: String { tenants.count == 1 ? tenants[0].id : "{tenantid}" }
}
