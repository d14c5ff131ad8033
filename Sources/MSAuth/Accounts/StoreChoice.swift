import Glibc
import MSAuthUnix
import Synchronization

/// The token store, settled at its first use: a keyring may take seconds to respond, and may be locked.
///
/// With `automatic`, the accounts must stay where the user left them, in sessions with and without a keyring:
/// 1. A keyring that was used before (its signal file exists) stays the choice. While it is locked or doesn't respond,
///    that is an error, since another store may contain another user's account. Only a session without any keyring keeps
///    its accounts in the file, which each use reports.
/// 2. Otherwise an existing file stays the choice, without a request to a keyring.
/// 3. Otherwise the first write chooses: the keyring if a probe item can be stored, else the file. A successful read
///    doesn't show that a write succeeds: it may wait for a prompt that the user can't see.
package final class StoreChoice: Sendable {
  private typealias Candidates = (keyring: SecretServiceStore, file: FileStore)

  private struct Choice {
    let store: any TokenCacheStore
    let cacheFile: String?
    var notice: String?
    var warning: String?
  }

  private struct State {
    /// `nil` until it is settled.
    var choice: Choice?
    /// The first write then chooses.
    var keyringResponds = false
  }

  private let candidates: Candidates?
  private let state: Mutex<State>
  private let onWarning: @Sendable (String) -> Void

  init(_ store: any TokenCacheStore, cacheFile: String? = nil) {
    candidates = nil
    state = Mutex(State(choice: Choice(store: store, cacheFile: cacheFile)))
    onWarning = { _ in }
  }

  init(
    keyring: SecretServiceStore,
    file: FileStore,
    onWarning: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    candidates = (keyring, file)
    state = Mutex(State())
    self.onWarning = onWarning
  }

  /// These stores for work in the background, which never prompts the user.
  var withoutPrompts: StoreChoice {
    if let (keyring, file) = candidates {
      return StoreChoice(keyring: keyring.withoutPrompts, file: file, onWarning: onWarning)
    }
    guard let choice, let keyring = choice.store as? SecretServiceStore else { return self }
    return StoreChoice(keyring.withoutPrompts, cacheFile: choice.cacheFile)
  }

  /// The files whose modification time shows a change.
  var changingFiles: [String] {
    candidates.map { [$0.keyring.signalPath, $0.file.path] } ?? [cacheFile].compactMap(\.self)
  }

  private var choice: Choice? { state.withLock { $0.choice } }

  var name: String { choice?.store.name ?? candidates?.keyring.name ?? "" }

  /// Identifies the store to other processes; `nil` if none shares it.
  package var cacheFile: String? { choice?.cacheFile ?? candidates?.keyring.signalPath }

  /// What to report at a sign-in: that tokens are stored in a file, and why.
  var notice: String? { choice?.notice }

  /// What to report at every use: that this session's accounts aren't those in the keyring.
  var warning: String? { choice?.warning }

  /// The store to read; before the first write the keyring, without choosing it.
  func readable() async throws(AuthenticationError) -> any TokenCacheStore {
    if let store = choice?.store { return store }
    guard let candidates else { preconditionFailure("without candidates, the choice is settled") }
    return try await alreadyChosen(of: candidates) ?? candidates.keyring
  }

  package func load() async throws(AuthenticationError) -> TokenCacheDocument {
    let store = try await readable()
    do throws(AuthenticationError) {
      return try await store.load()
    } catch {
      guard choice == nil, let file = candidates?.file, error.isKeyringError else { throw error }
      return try await file.load()
    }
  }

  /// The store to write to, chosen now if it wasn't before.
  package func writable() async throws(AuthenticationError) -> any TokenCacheStore {
    if let store = choice?.store { return store }
    guard let candidates else { preconditionFailure("without candidates, the choice is settled") }
    if let store = try await alreadyChosen(of: candidates) { return store }
    return try await candidates.keyring.whileLocked { lock -> any TokenCacheStore in
      // Another process may have held the lock before.
      if let store = try await alreadyChosen(of: candidates) { return store }
      do throws(AuthenticationError) {
        try await candidates.keyring.probe(holding: lock)
        return settle(Choice(store: candidates.keyring, cacheFile: candidates.keyring.signalPath))
      } catch {
        guard error.isKeyringError else { throw error }
        return settle(on: candidates.file, because: error)
      }
    }
  }

  /// Chooses the store for a sign-in, sets a damaged cache aside, and checks that the store can be written.
  func prepare(report: (LogText) -> Void) async throws(AuthenticationError) {
    let store = try await writable()
    // An unreadable store is reported without taking the lock.
    _ = try await store.damage()
    try await store.whileLocked { lock in
      if let damage = try await store.damage(), let name = try await store.setAside(holding: lock) {
        report("\(user: damage.message); it was set aside as \(user: name)")
      }
      try await store.checkWritable(holding: lock)
    }
  }

  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// The store, if another call or process has chosen it.
  private func alreadyChosen(of candidates: Candidates) async throws(AuthenticationError) -> (any TokenCacheStore)? {
    let (keyring, file) = candidates
    let (hasFile, hasUsedKeyring) = await BackgroundThread.run { _ in
      (Self.exists(file.path), Self.exists(keyring.signalPath))
    }
    let (choice, keyringResponds) = state.withLock { ($0.choice, $0.keyringResponds) }
    if let choice { return choice.store }
    if !hasUsedKeyring, hasFile { return settle(Choice(store: file, cacheFile: file.path)) }
    if !hasUsedKeyring, keyringResponds { return nil }
    do throws(AuthenticationError) {
      try await keyring.check()
    } catch {
      switch error.reason {
      case _ where error.code == .canceled: throw error
      case .keyringLocked where hasUsedKeyring: break
      case .keyringAbsent where hasUsedKeyring:
        let warning = "\(error.message), so its accounts aren't available; this session's \(Self.location(of: file))"
        return settle(Choice(store: file, cacheFile: file.path, warning: warning))
      case _ where hasUsedKeyring: throw error
      default: return settle(on: file, because: error)
      }
    }
    if hasUsedKeyring { return settle(Choice(store: keyring, cacheFile: keyring.signalPath)) }
    state.withLock { $0.keyringResponds = true }
    return nil
  }

  private func settle(on file: FileStore, because failure: AuthenticationError) -> any TokenCacheStore {
    let notice = "\(failure.message); accounts and tokens \(Self.location(of: file))"
    return settle(Choice(store: file, cacheFile: file.path, notice: notice))
  }

  private static func location(of file: FileStore) -> String {
    "are stored in \(file.path.printable()), which only you can read"
  }

  /// Chooses once; the first choice stays.
  private func settle(_ new: Choice) -> any TokenCacheStore {
    let first = state.withLock { state in
      defer { state.choice = state.choice ?? new }
      return state.choice
    }
    if first == nil, let warning = new.warning { onWarning(warning) }
    return (first ?? new).store
  }
}

extension AuthenticationError {
  /// Whether there is no keyring, or it doesn't work.
  fileprivate var isKeyringError: Bool {
    [.keyringAbsent, .keyringLocked, .keyringUnresponsive, .keyringDismissed, .keyringFailed].contains(reason)
  }
}

extension TokenCacheStore {
  /// Why it can't be read, if setting it aside helps.
  fileprivate func damage() async throws(AuthenticationError) -> AuthenticationError? {
    do throws(AuthenticationError) {
      _ = try await load()
      return nil
    } catch {
      guard [.damaged, .tooLarge].contains(error.reason) else { throw error }
      return error
    }
  }
}
