public import FoundationEssentials
import Glibc
import MSAuthDesktop
import MSAuthUnix

extension ClientConfiguration {
  /// The configured store, or the session's on a shared device; touches neither a file nor the keyring.
  func openStore(
    in folders: XDGDirectories,
    session: DesktopSession,
    on device: DeviceInformation,
    onWarning: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws(AuthenticationError) -> StoreChoice {
    var choice = store
    if device.mode == .shared {
      choice = try await BackgroundThread.run { _ throws(AuthenticationError) in try store.onSharedDevice(in: folders) }
    }
    try await choice.checkOwner(of: folders.state, session: session)
    let encryption = storeKeyFile.map { StoreEncryption(keyFile: $0) }
    let file = FileStore(path: folders.cacheFile, encryption: encryption)
    let keyring = SecretServiceStore(item: keyringItem, in: folders, mayPrompt: session.hasDisplay)
    switch choice {
    case .automatic where encryption != nil, .file(nil): return StoreChoice(file, cacheFile: file.path)
    case .automatic: return StoreChoice(keyring: keyring, file: file, onWarning: onWarning)
    case .secretService: return StoreChoice(keyring, cacheFile: keyring.signalPath)
    case .file(let path?): return StoreChoice(FileStore(path: path, encryption: encryption), cacheFile: path)
    case .memory: return StoreChoice(MemoryStore())
    }
  }

  /// This configuration, once per store that may contain accounts: the configured one, those of `automatic`, the groups'.
  package func usedStores() async throws(AuthenticationError) -> [ClientConfiguration] {
    let stores: [Store] = try await BackgroundThread.run { _ throws(AuthenticationError) in
      let folders = try XDGDirectories(environment: environment)
      // A shared device has only one store.
      if try deviceInformation().mode == .shared { return [store] }
      var stores = store == .automatic ? [] : [store]
      let (keyring, file) = (keyringItem.signalPath(in: folders), folders.cacheFile)
      if StoreChoice.exists(keyring), !stores.contains(.secretService) { stores.append(.secretService) }
      if StoreChoice.exists(file), !stores.contains(.file(nil)), !stores.contains(.file(file)) {
        stores.append(.file(nil))
      }
      if stores.isEmpty { stores = [store] }
      let groups = (try? FileManager.default.contentsOfDirectory(atPath: folders.groups)) ?? []
      let files = groups.sorted().map(folders.cacheFile(ofGroup:)).filter(StoreChoice.exists)
      return stores + files.map { .file($0) }.filter { !stores.contains($0) }
    }
    return stores.map { store in
      var configuration = self
      configuration.store = store
      return configuration
    }
  }

  /// The name of the store, as in ``SessionStatus``.
  package func storeName() async throws(AuthenticationError) -> String {
    let store = try await Dependencies.system(for: self).store
    _ = try await store.load()
    return store.name
  }
}

extension XDGDirectories {
  fileprivate var cacheFile: String { state + "/token_cache.json" }
  fileprivate var groups: String { state + "/groups" }

  fileprivate func cacheFile(ofGroup name: String) -> String { "\(groups)/\(name)/token_cache.json" }
}

extension ClientConfiguration.Store {
  /// Rejects sudo with the calling user's home directory: the user couldn't read the files that root writes there.
  fileprivate func checkOwner(of directory: String, session: DesktopSession) async throws(AuthenticationError) {
    switch self {
    case .file(.some), .memory: return
    case .automatic, .secretService, .file(nil): break
    }
    guard let user = session.sudoUser else { return }
    let owner = await BackgroundThread.run { _ -> UInt32? in
      var status = stat()
      return stat(directory.nearestExisting, &status) == 0 ? status.st_uid : nil
    }
    guard let owner, owner != session.effectiveUser, owner != 0 else { return }
    let location = "\(directory.printable()), which belongs to \(user.printable(limit: 40))"
    let message = "this runs as root through sudo, but accounts and tokens would be in \(location)"
    throw AuthenticationError(.storeUnavailable, message, reason: "sudo", hint: .withoutSudo(as: user))
  }

  /// The store on a shared device: a file in the session's directory, which the system removes with the session.
  func onSharedDevice(in folders: XDGDirectories) throws(AuthenticationError) -> ClientConfiguration.Store {
    switch self {
    case .memory: return .memory
    case .file(let path?):
      let message = "tokens can't be stored in \(path.printable()): this device is shared"
      let hint: Hint = "omit \(setting: "cache_file", or: "the cache file"); the session's own directory is used"
      throw AuthenticationError(.invalidConfiguration, message, reason: "shared_device_store", hint: hint)
    case .automatic, .secretService, .file(nil): break
    }
    guard let base = folders.runtime else {
      throw Self.unusable("XDG_RUNTIME_DIR is unset or not absolute, so the session has no directory")
    }
    if let flaw = RuntimeDirectory(base).flaw {
      throw Self.unusable("the session's directory \(base.printable()) \(flaw)")
    }
    guard RuntimeDirectory(base).endsWithSession else {
      throw Self.unusable(
        "XDG_RUNTIME_DIR is \(base.printable()), which is on a disk and outlives the session: "
          + "it should be \(RuntimeDirectory.standard) or in memory (tmpfs)"
      )
    }
    return .file(base + "/msauth/token_cache.json")
  }

  private static func unusable(_ why: String) -> AuthenticationError {
    let message = "this device is shared and stores tokens only for the session, but \(why)"
    return AuthenticationError(.storeUnavailable, message, reason: "shared_device_no_session", hint: .startLoginSession)
  }

  /// A separate file for the applications of one group (MSAL: `keychainSharingGroup`).
  ///
  /// It prevents accidental sharing; every program of the same user can still read it.
  ///
  /// - Parameters:
  ///   - name: The group's name, such as an application's ID: ASCII letters, digits, `.`, `-` and `_`.
  ///   - environment: The environment; by default the process's.
  /// - Throws: `AuthenticationError` with `AuthenticationError.Code.invalidConfiguration`.
  /// - Returns: `$XDG_STATE_HOME/msauth/groups/<name>/token_cache.json`.
  public static func group(
    _ name: String,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(AuthenticationError) -> ClientConfiguration.Store {
    // A directory's name: not a path, not hidden, and short enough for every file system.
    guard (1...200).contains(name.utf8.count), name.first != ".",
      name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) })
    else {
      let message = "\(name.quoted) isn't a valid group name"
      let hint: Hint = "use letters, digits, periods, hyphens and underscores, such as com.example.app"
      throw AuthenticationError(.invalidConfiguration, message, reason: "group_invalid", hint: hint)
    }
    return .file(try XDGDirectories(environment: environment).cacheFile(ofGroup: name))
  }
}

extension SecretServiceStore {
  init(item: KeyringItem, in folders: XDGDirectories, mayPrompt: Bool) {
    let (signal, lock) = (item.signalPath(in: folders), item.lockPath(in: folders))
    self.init(item: item, signalPath: signal, lockPath: lock, mayPrompt: mayPrompt)
  }
}

extension KeyringItem {
  /// The file whose modification time shows that the item changed.
  fileprivate func signalPath(in folders: XDGDirectories) -> String {
    signalFile ?? folders.state + "/token_cache.keyring"
  }

  /// The lock file that all writers of the item respect; `nil` for a file beside the signal file, as in other libraries.
  fileprivate func lockPath(in folders: XDGDirectories) -> String? {
    // Programs with another `HOME` find our own item too, by its attributes on the session bus. So its lock is a file in the
    // session's directory, if there is one, and a name on the bus, which programs in a sandbox share.
    guard signalFile == nil, let base = RuntimeDirectory.usable(folders.runtime).path
    else { return nil }
    return base.appendingPathComponent("msauth").appendingPathComponent("keyring.lockfile")
  }
}
