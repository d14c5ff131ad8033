import MSAuthCore

/// The token cache in MSAL's unified schema, which MSAL Python, .NET, Go and Node share; unknown members are kept.
package struct TokenCacheDocument: Sendable, Equatable {
  /// The top-level maps of the schema.
  enum Kind: String, CaseIterable {
    case accessToken = "AccessToken"
    case refreshToken = "RefreshToken"
    case idToken = "IdToken"
    case account = "Account"
    case appMetadata = "AppMetadata"

    /// The kinds that hold a secret.
    static let tokens: [Kind] = [.accessToken, .refreshToken, .idToken]
  }

  // As lenient as the other MSAL libraries. The depth limits the stack; the members suffice for 50,000 accounts.
  static let readOptions = JSONValue.Options(
    maximumSize: FileStore.maximumSize,
    maximumDepth: 128,
    maximumMembers: 4_000_000,
    isLenient: true
  )

  var root: JSONValue.Object

  package init() { root = [:] }

  init(parsing bytes: [UInt8]) throws(Rejection) {
    do {
      root = bytes.isEmpty ? [:] : try JSONValue.object(parsing: bytes, options: Self.readOptions)
    } catch {
      throw Rejection(error.reason == .notAnObject ? "isn't a JSON object" : "isn't JSON: \(error)")
    }
    for kind in Kind.allCases {
      let map = root[kind.rawValue] ?? .null
      guard map == .null || map.object != nil else {
        throw Rejection("has a member \"\(kind.rawValue)\" that isn't an object")
      }
    }
  }

  /// The document as MSAL Python writes it: four spaces per level, ASCII, since some readers use the locale's encoding.
  ///
  /// Deeper levels are on one line: indentation would grow with depth times size.
  package func serialized() -> [UInt8] {
    JSONValue.object(root).serialized(JSONValue.Format(indentation: 4, indentedLevels: 3, isASCII: true))
  }

  /// Applies a change, unless the cache has it or something newer, or the account was signed out.
  package mutating func apply(_ change: Journal.Change) {
    let isCurrent = entries(.refreshToken).values.contains { entry in
      entry.string("secret").map { Secret($0).digest == change.spent } ?? false
    }
    if isCurrent { root.apply(mergePatch: change.patch) }
  }

  /// The entries of one map by key.
  func entries(_ kind: Kind) -> JSONValue.Object { root[kind.rawValue]?.object ?? [:] }

  /// The entries of one map in the order of their keys, so that every process picks the same one if several match.
  func ordered(_ kind: Kind, of account: String? = nil) -> [JSONValue] { sorted(kind, of: account).map(\.value) }

  /// The entries with their keys.
  func sorted(_ kind: Kind, of account: String?) -> [JSONValue.Object.Element] {
    guard let account else { return entries(kind).sorted }
    return entries(kind).filter { $0.value.has("home_account_id", account) }.sorted
  }

  /// Writes an entry; keeps fields that no MSAL library defines, except those that describe the replaced secret.
  mutating func put(_ fields: JSONValue.Object, as key: String, in kind: Kind) {
    var map = entries(kind)
    let key = Self.unusedKey(key, for: fields, in: map)
    var kept = map[key]?.object ?? [:]
    for name in kind.secretFields { kept[name] = nil }
    map[key] = .object(kept.merging(fields))
    root[kind.rawValue] = .object(map)
  }

  /// Keys are lowercase, but OpenID providers' account IDs are case-sensitive: two users may share a key.
  private static func unusedKey(_ key: String, for fields: JSONValue.Object, in map: JSONValue.Object) -> String {
    var key = key
    while let owner = map[key]?["home_account_id"], owner.string != nil, fields["home_account_id"] != owner {
      key += "-"
    }
    return key
  }

  /// Removes and returns the entries that the predicate accepts, except the one under a key that is about to be written.
  @discardableResult
  mutating func remove(_ kind: Kind, except kept: String? = nil, where isRemoved: (JSONValue) -> Bool) -> [JSONValue] {
    var removed: [JSONValue] = []
    let left = entries(kind).filter { key, entry in
      guard kept?.isIdentical(to: key) != true, isRemoved(entry) else { return true }
      removed.append(entry)
      return false
    }
    if !removed.isEmpty { root[kind.rawValue] = .object(left) }
    return removed
  }

  /// The node with msauth's state.
  var state: JSONValue.Object {
    get { root[object: "msauth"] }
    set { root[object: "msauth"] = newValue }
  }
}

extension TokenCacheDocument: Redacted {
  package var description: String { "TokenCacheDocument" }
}

extension TokenCacheDocument.Kind {
  /// The fields that describe one secret, under the names of all MSAL libraries (Python, .NET, Go, Node, Apple's).
  fileprivate var secretFields: [String] {
    guard Self.tokens.contains(self) else { return [] }
    return [
      "cached_at", "client_info", "enrollment_id", "expires_in", "expires_on", "ext", "ext_cache_key", "ext_expires_on",
      "extended_expires_on", "family_id", "key_id", "keyid", "kid", "last_modification_time",
      "persisted_cache_parameters", "redirect_uri", "refresh_on", "requestedClaims", "requestedClaimsHash",
      "requested_claims", "secret", "spe_info", "target", "token_type", "userAssertionHash", "user_assertion_hash",
    ]
  }
}
