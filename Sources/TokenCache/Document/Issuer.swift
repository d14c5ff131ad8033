import Core

/// A provider whose account IDs are unique only for itself, unlike Microsoft's.
package struct Issuer: Sendable, Hashable {
  /// The host, with port where it is not the scheme's.
  package let environment: String
  /// The path of the issuer's address, without the slash in front: the realm of its entries.
  package let realm: String

  package init(environment: String, realm: String) {
    self.environment = environment.lowercased()
    self.realm = realm
  }

  /// How our own node names an account: an address has no space, so that no id can look like another issuer's.
  static func mark(of homeAccountID: String, at issuer: Issuer?) -> String { (issuer?.prefix ?? "") + homeAccountID }

  /// Whether a mark is one of that issuer's; Microsoft's ids have no space.
  static func owns(_ mark: String, _ issuer: Issuer?) -> Bool {
    issuer.map { mark.utf8.starts(with: $0.prefix.utf8) } ?? !mark.utf8.contains(UInt8(ascii: " "))
  }

  /// How our own node names it.
  var name: String { "\(environment)/\(realm)" }

  private var prefix: String { name + " " }
}

extension JSON {
  /// Whether the entry may be the issuer's (`nil`: Microsoft, whose realms are tenants).
  ///
  /// An issuer's realm is its path, case-sensitively (RFC 3986 §6.2.2.1). A refresh token from another library has none.
  func matches(_ issuer: Issuer?) -> Bool {
    guard let issuer, self["realm"] != nil else { return true }
    return has("realm", issuer.realm)
  }
}
