/// A Microsoft Entra tenant.
package struct Tenant: Sendable, Equatable {
  /// A GUID.
  package var id: String
  package var name: String
  /// The label before `onmicrosoft.com`.
  package var domain: String?

  package static let contoso = Tenant(id: "aaaabbbb-0000-cccc-1111-dddd2222eeee", name: "Contoso", domain: "contoso")
  package static let bletchley = Tenant(
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
enum Audience: Sendable, Equatable {
  case common
  case organizations
  case consumers
  case tenant(Tenant)

  init?(_ segment: String) {
    switch segment.lowercased() {
    case "common": self = .common
    case "organizations": self = .organizations
    case "consumers": self = .consumers
    case let name:
      guard let tenant = Tenant.named(name) else { return nil }
      self = .tenant(tenant)
    }
  }

  var segment: String {
    switch self {
    case .common: "common"
    case .organizations: "organizations"
    case .consumers: "consumers"
    case .tenant(let tenant): tenant.id
    }
  }

  /// The tenant in the metadata's issuer: a template if it depends on the account.
  var issuerSegment: String {
    switch self {
    case .common, .organizations: "{tenantid}"
    case .consumers: Tenant.personal.id
    case .tenant(let tenant): tenant.id
    }
  }

  func admits(_ person: Person) -> Bool {
    switch self {
    case .common: true
    case .organizations: person.tenant != .personal
    case .consumers: person.tenant == .personal
    case .tenant(let tenant): person.tenant == tenant
    }
  }
}
