import Primitives

/// The token cache as one JSON document in MSAL's unified schema, which MSAL Python, .NET, Go and Node read too.
///
/// What this version does not know, whole nodes or fields of an entry, stays as it was.
package struct TokenCacheDocument: Sendable, Equatable {
  /// The top-level maps of the schema.
  enum Kind: String, CaseIterable {
    case accessToken = "AccessToken"
    case refreshToken = "RefreshToken"
    case idToken = "IdToken"
    case account = "Account"
    case appMetadata = "AppMetadata"
  }

  /// The node that holds what only msauth knows.
  static let ownNode = "msauth"

  private(set) var root: [String: JSONValue]

  /// Makes an empty cache.
  package init() {
    root = [:]
  }

  /// Reads a cache.
  ///
  /// - Parameter bytes: The document; no bytes at all are an empty cache.
  /// - Throws: ``TokenCacheError`` of kind `damaged` when it is not a JSON object of objects.
  package init(parsing bytes: [UInt8]) throws(TokenCacheError) {
    guard let value = try? JSONValue(parsing: bytes) else { throw .damaged("it is not JSON") }
    guard case .object(let root) = value else { throw .damaged("it is not a JSON object") }
    for kind in Kind.allCases {
      guard let node = root[kind.rawValue] else { continue }
      guard node.object != nil else { throw .damaged("\"\(kind.rawValue)\" is not an object") }
    }
    self.root = root
  }

  /// The document's bytes, indented as MSAL Python writes it.
  package func serialized() -> [UInt8] {
    JSONValue.object(root).serialized(pretty: true)
  }

  /// The entries of one map by their keys.
  func entries(_ kind: Kind) -> [String: JSONValue] {
    root[kind.rawValue]?.object ?? [:]
  }

  /// Writes an entry; fields that stand under the key already and that this version does not know are kept.
  mutating func put(_ fields: [String: JSONValue], as key: String, in kind: Kind) {
    var map = entries(kind)
    let before = map[key]?.object ?? [:]
    map[key] = .object(before.merging(fields) { _, new in new })
    root[kind.rawValue] = .object(map)
  }

  /// Removes the entries that the predicate picks.
  mutating func remove(_ kind: Kind, where isGone: (_ entry: JSONValue) -> Bool) {
    guard case .object(let map) = root[kind.rawValue] else { return }
    let kept = map.filter { !isGone($0.value) }
    if kept.count != map.count { root[kind.rawValue] = .object(kept) }
  }

  /// msauth's own node.
  var own: [String: JSONValue] {
    get { root[Self.ownNode]?.object ?? [:] }
    set { root[Self.ownNode] = newValue.isEmpty ? nil : .object(newValue) }
  }
}

extension JSONValue {
  /// A field's text.
  func text(_ name: String) -> String? { self[name]?.string }

  /// A field's Unix time: MSAL writes it as text, other writers as a number.
  func time(_ name: String) -> UnixTime? {
    guard let value = self[name] else { return nil }
    return value.integer ?? value.string.flatMap { Int64($0) }
  }

  /// Whether a field has that text.
  func has(_ name: String, _ text: String) -> Bool { self.text(name) == text }

  /// Whether the entry belongs to the account under one of the environment's names.
  func belongs(to homeAccountID: String, environments: [String]) -> Bool {
    has("home_account_id", homeAccountID) && isIn(environments)
  }

  /// Whether the entry belongs to one of the environment's names.
  func isIn(_ environments: [String]) -> Bool {
    guard let environment = text("environment")?.lowercased() else { return false }
    return environments.contains(environment)
  }
}
