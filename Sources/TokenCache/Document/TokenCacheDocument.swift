package import MSAuthCore
import Synchronization

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

  /// The node with msauth's own state.
  static let ownNode = "msauth"

  // As lenient as the other MSAL libraries. The depth limits the stack; the members suffice for 50,000 accounts.
  private static let readOptions = JSONValue.Options(
    maximumSize: FileStore.maximumSize,
    maximumDepth: 128,
    maximumMembers: 4_000_000,
    isLenient: true
  )

  private(set) var root: JSONValue.Object { didSet { index = EntryIndex() } }
  /// The entries by account, until the document changes.
  private var index = EntryIndex()

  package static func == (left: TokenCacheDocument, right: TokenCacheDocument) -> Bool { left.root == right.root }

  package init() {
    root = [:]
  }

  package init(parsing bytes: [UInt8]) throws(Failure) {
    if bytes.isEmpty {
      root = [:]
      return
    }
    let root: JSONValue.Object
    do {
      root = try JSONValue.object(parsing: bytes, options: Self.readOptions)
    } catch {
      throw .damaged(error.reason == .notAnObject ? error.description : "it is not JSON: \(error)")
    }
    for kind in Kind.allCases {
      switch root[kind.rawValue] {
      case nil, .null, .object: continue
      default: throw .damaged("\"\(kind.rawValue)\" is not an object")
      }
    }
    self.root = root
  }

  /// The document as MSAL Python writes it: four spaces per level, ASCII, since some readers use the locale's encoding.
  ///
  /// Deeper levels are on one line: indentation would grow with depth times size.
  package func serialized() -> [UInt8] {
    JSONValue.object(root).serialized(JSONValue.Format(indentation: 4, indentedLevels: 3, isASCII: true))
  }

  /// The entries of one map by key.
  func entries(_ kind: Kind) -> JSONValue.Object {
    root[kind.rawValue]?.object ?? [:]
  }

  /// The entries of one map in the order of their keys, so that every process picks the same of two that serve.
  func ordered(_ kind: Kind, of account: String? = nil) -> [JSONValue] { sorted(kind, of: account).map(\.value) }

  /// The same with their keys.
  func sorted(_ kind: Kind, of account: String?) -> [(key: String, value: JSONValue)] {
    guard let account else { return entries(kind).sorted }
    return index.entries(kind, of: account, in: self)
  }

  /// Writes an entry; keeps fields that no MSAL library knows, except those that describe the replaced secret.
  mutating func put(_ fields: JSONValue.Object, as key: String, in kind: Kind) {
    var map = entries(kind)
    let key = Self.freeKey(key, for: fields, in: map)
    var kept = map[key]?.object ?? [:]
    for name in kind.fieldsOfASecret { kept[name] = nil }
    map[key] = .object(kept.merging(fields))
    root[kind.rawValue] = .object(map)
  }

  /// Keys are lowercase, but OpenID providers' account IDs are case-sensitive: two users may share a key.
  private static func freeKey(_ key: String, for fields: JSONValue.Object, in map: JSONValue.Object) -> String {
    var key = key
    while let owner = map[key]?["home_account_id"], owner.string != nil, fields["home_account_id"] != owner {
      key += "-"
    }
    return key
  }

  /// Removes the entries that the predicate picks, except the one under a key that is about to be written.
  mutating func remove(_ kind: Kind, but kept: String? = nil, where isGone: (_ entry: JSONValue) -> Bool) {
    guard case .object(let map) = root[kind.rawValue] else { return }
    let left = map.filter { kept?.isIdentical(to: $0.key) == true || !isGone($0.value) }
    if left.count != map.count { root[kind.rawValue] = .object(left) }
  }

  var own: JSONValue.Object {
    get { root[Self.ownNode]?.object ?? [:] }
    set { root[Self.ownNode] = newValue.isEmpty ? nil : .object(newValue) }
  }
}

extension TokenCacheDocument.Kind {
  /// The fields that describe one secret, under the names of all MSAL libraries (Python, .NET, Go, Node, Apple's).
  fileprivate var fieldsOfASecret: [String] {
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

/// The entries of a document by account: listing thousands of accounts looks up the tokens of each.
final class EntryIndex: Sendable {
  typealias Entry = (key: String, value: JSONValue)

  /// The number of searches before all entries are grouped.
  private static let maximumSearches = 8

  private struct State {
    var searches = 0
    var maps: [TokenCacheDocument.Kind: [[UInt8]: [Entry]]] = [:]
  }
  private let state = Mutex(State())

  /// The entries of one account, in the order of their keys.
  func entries(_ kind: TokenCacheDocument.Kind, of account: String, in document: TokenCacheDocument) -> [Entry] {
    state.withLock { state in
      state.searches += 1
      if state.searches <= Self.maximumSearches {
        return document.entries(kind).filter { $0.value.has("home_account_id", account) }.sorted
      }
      let map = state.maps[kind] ?? Self.map(of: document.entries(kind))
      state.maps[kind] = map
      return map[Array(account.utf8)] ?? []
    }
  }

  private static func map(of entries: JSONValue.Object) -> [[UInt8]: [Entry]] {
    var map: [[UInt8]: [Entry]] = [:]
    for entry in entries.sorted {
      guard let owner = entry.value["home_account_id"]?.string else { continue }
      map[Array(owner.utf8), default: []].append(entry)
    }
    return map
  }
}
