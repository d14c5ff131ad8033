import Core

/// A provider whose account ids are its own, beside others on the same host that may have the same ones.
///
/// Plain OpenID providers and AD FS are such. Microsoft's ids are unique among all tenants, so where an account of
/// Microsoft's is meant there is no issuer.
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
  /// Whether the entry may be of that issuer on its host; nil is Microsoft, whose realms are tenants.
  ///
  /// An issuer's realm is its path, to the letter (RFC 3986 §6.2.2.1). A refresh token that another library wrote has
  /// none, and may be of any issuer.
  func matches(_ issuer: Issuer?) -> Bool {
    guard let issuer, self["realm"] != nil else { return true }
    return has("realm", issuer.realm)
  }
}
