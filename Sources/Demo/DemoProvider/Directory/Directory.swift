import Foundation

/// A user who can sign in at the demo provider.
package struct DemoUser: Sendable, Equatable {
  /// Used in forms and element IDs, such as `ada` in `#account-ada`.
  package var id: String
  package var givenName: String
  package var familyName: String
  package var username: String
  package var jobTitle: String
  package var tenant: Tenant
  /// Microsoft Entra's `oid` in the home tenant.
  package var objectID: String

  package var name: String { "\(givenName) \(familyName)" }
}

extension DemoUser {
  /// Two users of different organizations, and one with a personal account.
  package static let all: [DemoUser] = [
    DemoUser(
      id: "ada",
      givenName: "Ada",
      familyName: "Lovelace",
      username: "ada@contoso.example",
      jobTitle: "Analyst",
      tenant: .contoso,
      objectID: "0a0a0a0a-1815-4cc1-8888-a1b2c3d4e5f6"
    ),
    DemoUser(
      id: "alan",
      givenName: "Alan",
      familyName: "Turing",
      username: "alan@contoso.example",
      jobTitle: "Researcher",
      tenant: .bletchley,
      objectID: "0b0b0b0b-1912-4cc2-9999-b1c2d3e4f5a6"
    ),
    DemoUser(
      id: "grace",
      givenName: "Grace",
      familyName: "Hopper",
      username: "grace@outlook.example",
      jobTitle: "Rear admiral",
      tenant: .personal,
      // Personal accounts have object IDs that begin with zeros.
      objectID: "00000000-0000-0000-1906-c1d2e3f4a5b6"
    ),
  ]

  package static func named(_ id: String) -> DemoUser? { all.first { $0.id == id } }

  static func withUsername(_ name: String) -> DemoUser? {
    all.first { $0.username.lowercased() == name.lowercased() }
  }

  /// `uid.utid`, as in `client_info`.
  package var homeAccountID: String { "\(objectID).\(tenant.id)" }
}

package struct Tenant: Sendable, Equatable {
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
struct Audience: Sendable, Equatable {
  /// The last part of the authority's URL.
  var segment: String
  var tenants: [Tenant]

  static let common = Audience(segment: "common", tenants: Tenant.all)
  private static let groups = [
    common, Audience(segment: "organizations", tenants: [.contoso, .bletchley]),
    Audience(segment: "consumers", tenants: [.personal]),
  ]

  static func named(_ segment: String) -> Audience? {
    groups.first { $0.segment == segment.lowercased() }
      ?? Tenant.named(segment).map { Audience(segment: $0.id, tenants: [$0]) }
  }

  /// The tenant in the metadata's issuer: a template if it depends on the account.
  var issuerSegment: String { tenants.count == 1 ? tenants[0].id : "{tenantid}" }
}

struct RegisteredClient: Sendable, Equatable {
  var id: String
  var name: String

  static let demo = RegisteredClient(id: "11111111-2222-3333-4444-555555555555", name: "msauth")
  /// Shares a store with the first one.
  static let other = RegisteredClient(id: "66666666-7777-8888-9999-000000000000", name: "Another application")

  static func registered(_ id: String) -> RegisteredClient? { [demo, other].first { $0.id == id } }

  /// Of every client; without ports, since any port of a loopback host is accepted (RFC 8252 §7.3).
  private static let redirectURIs = ["localhost", "127.0.0.1", "[::1]"].flatMap { host in
    ["http://\(host)/", "http://\(host)/callback"]
  }

  /// Compares scheme, host and path exactly, but not the port (RFC 8252 §7.3, §8.4); an empty path is `/`.
  static func accepts(redirectURI uri: String, at kind: ProviderKind) -> Bool {
    guard var parts = URLComponents(string: uri), parts.user == nil, parts.password == nil, parts.fragment == nil,
      parts.query == nil, parts.port.map({ (1...65535).contains($0) }) ?? true
    else { return false }
    // Microsoft Entra doesn't support IPv6 loopback redirects.
    if kind.isEntra, parts.host?.contains(":") == true { return false }
    parts.port = nil
    if parts.path.isEmpty { parts.path = "/" }
    return redirectURIs.contains(parts.string ?? "")
  }
}
