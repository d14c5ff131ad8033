import MSAuthCore
import Synchronization

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
