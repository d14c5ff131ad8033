import MSAuthDesktop
import MSAuthUnix

/// The checks of the place where accounts and tokens are kept.
extension Diagnosis {
  /// Whether the keyring answers, and is open; nil where no keyring is used.
  typealias KeyringState = Result<KeyringCondition, Failure>?

  private var settings: ClientConfiguration {
    configuration ?? ClientConfiguration(clientID: "", environment: environment)
  }

  /// Whether the keyring may be the store; with a key for a file, it is the file.
  private var usesKeyring: Bool {
    settings.store == .secretService || settings.store == .automatic && settings.storeKeyFile == nil
  }

  /// Whether the keyring must serve: it was chosen, or it was used before.
  private func needsKeyring() async -> Bool {
    if settings.store == .secretService { return true }
    guard usesKeyring, let folders = try? XDGDirectories.standard(environment) else { return false }
    let file = FileStore(path: folders.state + "/token_cache.json")
    return await StoreChoice.used(
      keyring: SecretServiceStore(item: settings.keyringItem, in: folders, mayPrompt: true),
      file: file
    ).hasUsedKeyring
  }

  /// Asks the keyring whether it is open, without any prompt.
  func keyringState() async -> KeyringState {
    guard usesKeyring, let folders = try? XDGDirectories.standard(environment) else { return nil }
    let keyring = SecretServiceStore(item: settings.keyringItem, in: folders, mayPrompt: true)
    do throws(Failure) {
      return .success(try await keyring.check())
    } catch {
      return .failure(error)
    }
  }

  func checkKeyring(_ state: KeyringState) async -> CheckResult {
    let isNeeded = await needsKeyring()
    switch state {
    case nil: return CheckResult("keyring", .skipped, "it is not used")
    case .success(.open): return CheckResult("keyring", .ok, "it answers and is unlocked")
    case .success(.missing):
      return CheckResult(
        "keyring",
        .ok,
        "it answers; the first sign-in creates its collection, which may ask for a password"
      )
    case .success(.locked) where session.hasDisplay:
      return CheckResult(
        "keyring",
        .warning,
        "it is locked; the next use asks for its password",
        .repairKeyring("unlock it on the desktop")
      )
    case .success(.locked):
      return CheckResult(
        "keyring",
        isNeeded ? .failed : .warning,
        "it is locked, and there is no display to ask for its password",
        .repairKeyring("unlock it on the desktop")
      )
    case .failure(let error):
      if isNeeded { return CheckResult("keyring", .failed, error.message, error.hint) }
      let hint = error.hint == .useFileStore ? nil : error.hint
      return CheckResult("keyring", .warning, "\(error.message); accounts and tokens are kept in a file", hint)
    }
  }

  func checkStore(_ state: KeyringState) async -> CheckResult {
    do {
      let folders = try await BackgroundThread.run { [environment] _ in try XDGDirectories.standard(environment) }
      let device = try await BackgroundThread.run { [settings] _ in
        try DeviceInformation(contentsOf: settings.deviceConfigurationFile, writtenBy: settings.deviceAdministrator)
      }
      let choice = device.mode == .shared ? try settings.store.onSharedDevice(in: folders) : settings.store
      let opened = try await choice.choice(
        in: folders,
        session: session,
        item: settings.keyringItem,
        keyFile: settings.storeKeyFile
      )
      let store = try await opened.readable()
      // Reading a locked keyring would prompt.
      if case .success(.locked) = state, store is SecretServiceStore {
        return CheckResult("store", .skipped, "\(store.place) is locked")
      }
      let found = store.place.printable(limit: 200) + (try accountCount(in: try await opened.load()))
      if let file = store as? FileStore, let problem = try await problem(ofWritingTo: file) {
        return CheckResult("store", .warning, "\(found); \(problem.message)", problem.hint)
      }
      if let warning = opened.warning { return CheckResult("store", .warning, warning) }
      return CheckResult("store", .ok, found)
    } catch {
      return CheckResult("store", AuthenticationError(wrapping: error))
    }
  }

  /// How many accounts the application has, as the end of a sentence.
  private func accountCount(in document: TokenCacheDocument) throws -> String {
    guard let configuration else { return "" }
    let context = Context(configuration: configuration, dependencies: try dependencies(for: configuration))
    switch AccountDirectory(context: context).signedIn(in: document).count {
    case 0: return ", nobody is signed in"
    case 1: return ", 1 account"
    case let count: return ", \(count) accounts"
    }
  }

  /// Makes the check that a sign-in begins with: the lock, who may write to the directory, and a file that is removed.
  private func problem(ofWritingTo store: FileStore) async throws -> AuthenticationError? {
    let lock: TokenCacheLock
    do throws(Failure) {
      lock = try await store.lock(within: min(Self.lockTimeout, timeout / 2))
    } catch {
      guard error.reason == .locked else { throw error }
      // A sign-in waits for it longer than anybody waits for a diagnosis.
      return AuthenticationError(error)
    }
    try await lock.whileHeld { try await store.checkWritable(holding: lock) }
    return nil
  }

  private static var lockTimeout: Duration { .seconds(3) }
}
