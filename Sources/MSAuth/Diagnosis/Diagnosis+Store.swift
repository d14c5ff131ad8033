import MSAuthDesktop
import MSAuthUnix

extension Diagnosis {
  /// Whether the keyring is open; `nil` if none is used.
  typealias KeyringState = Result<KeyringCondition?, any Error>

  var settings: ClientConfiguration {
    configuration ?? ClientConfiguration(clientID: "", environment: environment)
  }

  /// The keyring, if it may be the store.
  var keyring: SecretServiceStore? {
    let usesKeyring = settings.store == .secretService || settings.store == .automatic && settings.storeKeyFile == nil
    guard usesKeyring, let folders = try? XDGDirectories(environment: environment) else { return nil }
    return SecretServiceStore(item: settings.keyringItem, in: folders, mayPrompt: true)
  }

  func checkKeyring(_ state: KeyringState) async -> CheckResult {
    guard let keyring else { return .skipped("not used") }
    // A keyring that was used once stays the store.
    let signalPath = keyring.signalPath
    let wasUsed = await BackgroundThread.run { _ in StoreChoice.exists(signalPath) }
    let isNeeded = settings.store == .secretService || wasUsed
    switch state {
    case .success(nil): return .skipped("not used")
    case .success(.open): return .ok("it responds and is unlocked\(await fileInUse())")
    case .success(.missing):
      return .ok("it responds; the first sign-in creates its collection, which may prompt for a password")
    case .success(.locked):
      let hint: Hint = .repairKeyring("unlock it on the desktop")
      guard !session.hasDisplay else { return .warning("it is locked; the next use prompts for its password", hint) }
      let message = "it is locked, and there is no display for the password prompt"
      return isNeeded ? .failed(message, hint) : .warning(message, hint)
    case .failure(let error):
      let error = AuthenticationError(wrapping: error)
      if isNeeded { return .failed(error.message, error.specificHint) }
      let install: Hint = """
        to use a keyring, install and start one, such as gnome-keyring, KWallet or KeePassXC, and sign in again; to keep \
        the file without this warning, use \(setting: "store", "file", or: "the file store")
        """
      let hint = error.specificHint == .useFileStore ? install : error.specificHint
      return .warning("\(error.message); accounts and tokens are stored in a file", hint)
    }
  }

  /// The file that was used before the keyring, and stays the store.
  private func fileInUse() async -> String {
    guard settings.store == .automatic, let file = try? await openedStore().readable() as? FileStore else { return "" }
    return ", but accounts and tokens are in \(file.name.printable(limit: 200))"
  }

  private func openedStore() async throws(AuthenticationError) -> StoreChoice {
    let (folders, device) = try await BackgroundThread.run { [environment, settings] _ throws(AuthenticationError) in
      (try XDGDirectories(environment: environment), try settings.deviceInformation())
    }
    return try await settings.openStore(in: folders, session: session, on: device)
  }

  func checkStore(_ state: KeyringState) async throws(AuthenticationError) -> CheckResult {
    let choice = try await openedStore()
    let store = try await choice.readable()
    // Reading a locked keyring would prompt.
    if case .success(.locked) = state, store is SecretServiceStore { return .skipped("\(store.name) is locked") }
    let found = store.name.printable(limit: 200) + (try await accountCount(in: try await choice.load()))
    if let file = store as? FileStore, let problem = try await problem(ofWritingTo: file) {
      return .warning("\(found); \(problem.message)", problem.specificHint)
    }
    return choice.warning.map { .warning($0) } ?? .ok(found)
  }

  private func accountCount(in document: TokenCacheDocument) async throws(AuthenticationError) -> String {
    guard let configuration else { return "" }
    let count = await AccountList(context: try context(of: configuration)).signedIn(in: document).count
    return count == 0 ? ", no account is signed in" : ", \(count) account\(count == 1 ? "" : "s")"
  }

  /// Runs the check that every sign-in begins with.
  private func problem(ofWritingTo store: FileStore) async throws(AuthenticationError) -> AuthenticationError? {
    let lock: TokenCacheLock
    do throws(AuthenticationError) {
      // A sign-in waits longer for it than a user waits for a diagnosis.
      lock = try await store.lock(within: min(.seconds(3), timeout / 2))
    } catch {
      guard error.reason == .locked else { throw error }
      return error
    }
    try await lock.whileHeld { try await store.checkWritable(holding: lock) }
    return nil
  }
}
