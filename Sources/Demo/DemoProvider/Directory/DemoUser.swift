/// A user who can sign in at the demo provider.
package struct DemoUser: Sendable, Equatable {
  /// Used in forms and element IDs, such as `ada` in `#account-ada`.
  package var id: String
  var givenName: String
  var familyName: String
  package var username: String
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
      tenant: .contoso,
      objectID: "0a0a0a0a-1815-4cc1-8888-a1b2c3d4e5f6"
    ),
    DemoUser(
      id: "alan",
      givenName: "Alan",
      familyName: "Turing",
      username: "alan@contoso.example",
      tenant: .bletchley,
      objectID: "0b0b0b0b-1912-4cc2-9999-b1c2d3e4f5a6"
    ),
    DemoUser(
      id: "grace",
      givenName: "Grace",
      familyName: "Hopper",
      username: "grace@outlook.example",
      tenant: .personal,
      // Personal accounts have object IDs that begin with zeros.
      objectID: "00000000-0000-0000-1906-c1d2e3f4a5b6"
    ),
  ]

  /// The user with this ID or username.
  package static func named(_ name: String) -> DemoUser? {
    all.first { $0.id == name || $0.username == name.lowercased() }
  }

  /// `uid.utid`, as in `client_info`.
  package var homeAccountID: String { "\(objectID).\(tenant.id)" }
}
