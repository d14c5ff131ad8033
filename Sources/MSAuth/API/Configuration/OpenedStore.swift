import Desktop
import TokenCache

/// A store that was chosen.
struct OpenedStore: Sendable {
  let store: any TokenCacheStore
  /// The file that the store writes or leaves its marks at; nil when no other process shares it.
  let cacheFile: String?
  /// What the person has to know of the choice, once.
  var notice: String?
}

extension Configuration.Store {
  /// Opens the store.
  ///
  /// A file is not touched yet. Without a cache file, `automatic` asks the keyring, which may take some seconds.
  func open(in folders: XDGDirectories, session: DesktopSession, item: KeyringItem = KeyringItem()) async throws
    -> OpenedStore
  {
    let file = FileStore(path: folders.state + "/token_cache.json")
    let keyring = SecretServiceStore(
      configuration: SecretServiceConfiguration(
        signalPath: item.signalFile ?? folders.state + "/token_cache.keyring",
        schema: item.schema,
        matchesSchema: item.matchesSchema,
        attributes: item.attributes,
        label: item.label,
        collection: item.collection,
        isBase64: item.encoding == .base64,
        mayPrompt: session.hasDisplay
      )
    )
    switch self {
    case .automatic:
      let selection: StoreSelection
      do {
        selection = try await StoreSelection.automatic(keyring: keyring, file: file)
      } catch {
        throw AuthenticationError(error)
      }
      return OpenedStore(
        store: selection.store,
        cacheFile: selection.isKeyring ? keyring.signalPath : file.path,
        notice: selection.notice
      )
    case .secretService: return OpenedStore(store: keyring, cacheFile: keyring.signalPath)
    case .file(nil): return OpenedStore(store: file, cacheFile: file.path)
    case .file(let path?):
      let file = FileStore(path: path)
      return OpenedStore(store: file, cacheFile: file.path)
    case .memory: return OpenedStore(store: MemoryStore(), cacheFile: nil)
    }
  }
}
