import Core
import Synchronization

/// The entries of a document by account: a list of thousands of accounts asks for the tokens of each.
final class EntryIndex: Sendable {
  typealias Entry = (key: String, value: JSON)

  /// So many accounts are looked for one by one, before all are sorted.
  private static let maximumSearches = 8

  private struct State {
    var searches = 0
    var maps: [TokenCacheDocument.Kind: [JSON.Name: [Entry]]] = [:]
  }
  private let state = Mutex(State())

  /// The entries of one account, in the order of their keys.
  func entries(_ kind: TokenCacheDocument.Kind, of account: String, in document: TokenCacheDocument) -> [Entry] {
    state.withLock { state in
      state.searches += 1
      if state.searches <= Self.maximumSearches {
        return document.entries(kind).sorted(where: "home_account_id", is: account)
      }
      let map = state.maps[kind] ?? Self.map(of: document.entries(kind))
      state.maps[kind] = map
      return map[JSON.Name(account)] ?? []
    }
  }

  private static func map(of entries: JSON.Object) -> [JSON.Name: [Entry]] {
    var map: [JSON.Name: [Entry]] = [:]
    for entry in entries.sorted {
      guard let owner = entry.value["home_account_id"]?.string else { continue }
      map[JSON.Name(owner), default: []].append(entry)
    }
    return map
  }
}
