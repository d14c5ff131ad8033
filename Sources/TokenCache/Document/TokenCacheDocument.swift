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

  private(set) var root: [String: CacheJSON]

  /// Makes an empty cache.
  package init() {
    root = [:]
  }

  /// Reads a cache.
  ///
  /// - Parameter bytes: The document; no bytes at all are an empty cache.
  /// - Throws: ``TokenCacheError`` of kind `damaged` when it is not a JSON object of objects.
  package init(parsing bytes: [UInt8]) throws(TokenCacheError) {
    if bytes.isEmpty {
      root = [:]
      return
    }
    let value: CacheJSON
    do {
      value = try CacheJSONReader.value(of: bytes)
    } catch {
      throw .damaged("it is not JSON: at byte \(error.offset) \(error.what)")
    }
    guard case .object(let root) = value else { throw .damaged("it is not a JSON object") }
    for kind in Kind.allCases {
      switch root[kind.rawValue] {
      case nil, .null, .object: continue
      default: throw .damaged("\"\(kind.rawValue)\" is not an object")
      }
    }
    self.root = root
  }

  /// The document's bytes, indented as MSAL Python writes it.
  package func serialized() -> [UInt8] {
    CacheJSON.object(root).serialized()
  }

  /// The entries of one map by their keys.
  func entries(_ kind: Kind) -> [String: CacheJSON] {
    root[kind.rawValue]?.object ?? [:]
  }

  /// The entries of one map in the order of their keys, so that every process picks the same of two that serve.
  func ordered(_ kind: Kind) -> [CacheJSON] {
    entries(kind).sorted { $0.key < $1.key }.map(\.value)
  }

  /// Writes an entry.
  ///
  /// Fields that stand under the key already and that no MSAL library knows are kept. Those that describe the secret
  /// which goes now, its key binding or its time of renewal, are not: they would be lies about the new one.
  mutating func put(_ fields: [String: CacheJSON], as key: String, in kind: Kind) {
    var map = entries(kind)
    let key = Self.freeKey(key, for: fields, in: map)
    let before = (map[key]?.object ?? [:]).filter { !kind.fieldsOfASecret.contains($0.key) }
    map[key] = .object(before.merging(fields) { _, new in new })
    root[kind.rawValue] = .object(map)
  }

  /// Keys are in small letters, account ids of plain OpenID providers are not: two people may have one key.
  private static func freeKey(_ key: String, for fields: [String: CacheJSON], in map: [String: CacheJSON]) -> String {
    var key = key
    while let owner = map[key]?.text("home_account_id"), fields["home_account_id"]?.string != owner { key += "-" }
    return key
  }

  /// Removes the entries that the predicate picks, but for the one under a key that is about to be written anew.
  mutating func remove(_ kind: Kind, but kept: String? = nil, where isGone: (_ entry: CacheJSON) -> Bool) {
    guard case .object(let map) = root[kind.rawValue] else { return }
    let left = map.filter { $0.key == kept || !isGone($0.value) }
    if left.count != map.count { root[kind.rawValue] = .object(left) }
  }

  /// msauth's own node.
  var own: [String: CacheJSON] {
    get { root[Self.ownNode]?.object ?? [:] }
    set { root[Self.ownNode] = newValue.isEmpty ? nil : .object(newValue) }
  }
}

extension TokenCacheDocument.Kind {
  /// What the MSAL libraries note about one secret, by the names of all of them (Python, .NET, Go, Node, Apple's).
  fileprivate var fieldsOfASecret: Set<String> {
    switch self {
    case .account, .appMetadata: []
    case .accessToken, .refreshToken, .idToken:
      [
        "cached_at", "client_info", "enrollment_id", "expires_in", "expires_on", "ext", "ext_cache_key",
        "ext_expires_on", "extended_expires_on", "family_id", "key_id", "keyid", "kid", "last_modification_time",
        "persisted_cache_parameters", "redirect_uri", "refresh_on", "requestedClaims", "requestedClaimsHash",
        "requested_claims", "secret", "spe_info", "target", "token_type", "userAssertionHash", "user_assertion_hash",
      ]
    }
  }
}
