import MSAuth
import MSAuthCore

/// The values of the setting `store`.
package enum StoreSetting: String, CaseIterable {
  case auto
  case secretService = "secret-service"
  case file, memory
}

extension Layer {
  func chosenStore() throws -> ClientConfiguration.Store {
    let file = ClientConfiguration.Store.file(string("cache_file")?.value)
    // Either of these implies the file store.
    let fileSettings = [string("cache_file"), string("store_key_file")].compactMap(\.self)
    let implied = fileSettings.max { $0.source.precedence < $1.source.precedence }
    let store = string("store") ?? Sourced(StoreSetting.auto.rawValue)
    let choice = try store.choice(StoreSetting(rawValue: store.value), reason: "store_invalid")
    if choice == .auto { return implied == nil ? .automatic : file }
    if choice == .file { return file }
    if let implied, implied.source.precedence > store.source.precedence { return file }
    if let implied, implied.source.precedence == store.source.precedence {
      let message = "requires the file store, not \(store.value)"
      throw implied.error(message, reason: "file_setting_unused", hint: "omit it, or \(.useFileStore)")
    }
    return choice == .memory ? .memory : .secretService
  }
}
