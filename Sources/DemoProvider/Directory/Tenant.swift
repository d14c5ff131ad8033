/// An organisation in Microsoft Entra's sense.
package struct Tenant: Sendable, Equatable {
  /// A GUID.
  package var id: String
  package var name: String
  /// The label before `onmicrosoft.com`, or nil.
  package var domain: String?

  package static let contoso = Tenant(id: "aaaabbbb-0000-cccc-1111-dddd2222eeee", name: "Contoso", domain: "contoso")
  package static let bletchley = Tenant(
    id: "bbbbcccc-1111-dddd-2222-eeee3333ffff",
    name: "Bletchley Park",
    domain: "bletchley"
  )
  /// Where personal accounts live; Microsoft's own GUID for it, which clients know.
  package static let personal = Tenant(id: "9188040d-6c67-4c5b-b112-36a304b66dad", name: "Personal accounts")

  package static let all: [Tenant] = [contoso, bletchley, personal]

  /// The tenant with that id or that `onmicrosoft.com` name, in any case of letters.
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

  /// Reads the path segment of an authority.
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

  /// The path segment of the endpoints.
  var segment: String {
    switch self {
    case .common: "common"
    case .organizations: "organizations"
    case .consumers: "consumers"
    case .tenant(let tenant): tenant.id
    }
  }

  /// What stands for the tenant in the metadata's issuer: a template where the person decides it.
  var issuerSegment: String {
    switch self {
    case .common, .organizations: "{tenantid}"
    case .consumers: Tenant.personal.id
    case .tenant(let tenant): tenant.id
    }
  }

  /// Whether the person may sign in here.
  func admits(_ person: Person) -> Bool {
    switch self {
    case .common: true
    case .organizations: person.tenant != .personal
    case .consumers: person.tenant == .personal
    case .tenant(let tenant): person.tenant == tenant
    }
  }
}
