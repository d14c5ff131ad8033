import MSAuthCore

/// The owner of tokens: an account of one client at one issuer.
package struct AccountKey: Sendable {
  /// `nil` for Microsoft, whose account IDs are unique among all tenants.
  let issuer: Issuer?
  let clientID: String
  let homeAccountID: String

  package init(issuer: Issuer? = nil, clientID: String, homeAccountID: String) {
    (self.issuer, self.clientID, self.homeAccountID) = (issuer, clientID, homeAccountID)
  }

  /// The account's key in its client's node; a URL has no space, so no ID can look like another issuer's.
  var nodeKey: String { (issuer?.prefix ?? "") + homeAccountID }
}

/// A home account ID, compared by bytes: `==` of strings equates two spellings of an accented letter.
package struct AccountID: Sendable, Hashable {
  private let bytes: [UInt8]

  package init(_ string: String) { bytes = Array(string.utf8) }

  package var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Whether both IDs are one account's: Microsoft's (without an issuer) are GUIDs, which other libraries store in any case.
  package static func areSame(_ one: String, _ other: String, at issuer: Issuer?) -> Bool {
    one.isIdentical(to: other) || issuer == nil && one.lowercased().isIdentical(to: other.lowercased())
  }
}

/// A provider whose account IDs are unique only for itself, unlike Microsoft's.
package struct Issuer: Sendable, Hashable {
  /// The host, and the port unless it is the scheme's default.
  let environment: String
  /// The path of the issuer's URL without the leading slash; the realm of its entries.
  package let realm: String

  package init(environment: String, realm: String) {
    self.environment = environment.lowercased()
    self.realm = realm
  }

  /// Compares bytes.
  package static func == (one: Issuer, other: Issuer) -> Bool { one.name.isIdentical(to: other.name) }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// Whether the node key is that of an issuer's account; Microsoft's IDs have no space.
  static func isNodeKey(_ key: String, of issuer: Issuer?) -> Bool {
    issuer.map { key.utf8.starts(with: $0.prefix.utf8) } ?? !key.utf8.contains(UInt8(ascii: " "))
  }

  /// The name of the issuer in msauth's node.
  private var name: String { "\(environment)/\(realm)" }

  fileprivate var prefix: String { name + " " }
}

extension String {
  /// Whether the realm is that of a resource's session: no issuer's URL has a fragment.
  var isResourceRealm: Bool { utf8.contains(UInt8(ascii: "#")) }
}
