import Core
import Synchronization

/// The entries of a document by account: a list of thousands of accounts asks for the tokens of each.
final class EntryIndex: Sendable {
  typealias Entry = (key: String, value: JSON)

  private let maps = Mutex<[TokenCacheDocument.Kind: [JSON.Name: [Entry]]]>([:])

  /// The entries of one account, in no order.
  ///
  /// - Parameters:
  ///   - kind: The map.
  ///   - account: The home account ID.
  ///   - document: The document, which is the same at every call.
  /// - Returns: The entries; one without an account is nobody's.
  func entries(_ kind: TokenCacheDocument.Kind, of account: String, in document: TokenCacheDocument) -> [Entry] {
    maps.withLock { maps in
      if maps[kind] == nil {
        let entries = document.entries(kind)
        var map: [JSON.Name: [Entry]] = [:]
        map.reserveCapacity(entries.count)
        for entry in entries {
          guard let owner = entry.value["home_account_id"]?.string else { continue }
          map[JSON.Name(owner), default: []].append(entry)
        }
        maps[kind] = map
      }
      return maps[kind]?[JSON.Name(account)] ?? []
    }
  }
}
