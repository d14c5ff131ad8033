package import MSAuthCore

/// An account that the device is signed in to.
package struct BrokerAccount: Sendable, Equatable {
  /// As the broker wrote it: a token request returns it unchanged.
  let members: JSONValue.Object
  package let homeAccountID: String
  package let username: String
  package var environment: String { string("environment") }
  /// The tenant's ID.
  package var realm: String { string("realm") }
  /// The user's object ID in that tenant.
  package var localAccountID: String { string("localAccountId") }

  private static let lengthLimit = 512

  /// `nil` if it names no user.
  package init?(_ value: JSONValue?) {
    guard let members = value?.object, let id = members["homeAccountId"]?.string,
      let name = members["username"]?.string,
      (1...Self.lengthLimit).contains(id.utf8.count), id.utf8.allSatisfy(\.isASCIIVisible),
      (1...Self.lengthLimit).contains(name.utf8.count)
    else { return nil }
    (self.members, homeAccountID, username) = (members, id, name)
  }

  private func string(_ member: String) -> String { members[member]?.string ?? "" }
}
