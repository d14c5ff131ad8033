import CGLib
import Core
import Unix

/// What a call to the keyring meets before it asks for anything.
package enum KeyringCondition: Sendable, Equatable {
  case open
  /// Somebody must unlock it.
  case locked
  /// There is no collection yet; the keyring makes one when the first item comes, and may ask for its password.
  case missing
}

/// One item of the desktop's keyring, over the Secret Service.
struct Keyring: Sendable {
  /// For a keyring that asks nobody; healthy ones answer within 10 ms, one that D-Bus must start within 2 s, and a busy
  /// machine takes several times as long.
  static let timeout: Duration = .seconds(10)
  /// For a person to type the keyring's password.
  static let promptTimeout: Duration = .seconds(30)

  let item: KeyringItem
  /// Whether somebody can answer a prompt.
  let mayPrompt: Bool

  /// Makes sure that the keyring answers, and that it is open or somebody can open it.
  @discardableResult
  func check() async throws(Failure) -> KeyringCondition {
    guard Self.hasBus else {
      throw Failure(store: .keyringAbsent, "there is no keyring: this session has no D-Bus", hint: .useFileStore)
    }
    let failure = await BackgroundThread.run { _ -> String? in
      var failure = glib_reason()
      return libsecret_open(&failure) ? nil : Self.text(failure)
    }
    if let failure {
      throw Failure(
        store: .keyringAbsent,
        "the keyring's library cannot be opened: \(failure)",
        hint: .repairKeyring("install libsecret-1-0")
      )
    }
    let (outcome, reason, _) = try await call(within: Self.timeout) { item, cancellable, reason in
      (libsecret_state(item, cancellable, reason), nil)
    }
    switch outcome {
    case LIBSECRET_DONE: return .open
    case LIBSECRET_NONE: return .missing
    case LIBSECRET_LOCKED where mayPrompt: return .locked
    default: throw error(outcome, reason)
    }
  }

  /// Has the keyring unlocked by the person, if it is locked.
  ///
  /// A look-up does not do that: GNOME Keyring finds nothing by a schema of our own in a locked collection, and so asks
  /// for no password.
  @discardableResult
  func unlock() async throws(Failure) -> KeyringCondition {
    let before = try await check()
    guard before == .locked else { return before }
    let (outcome, reason, _) = try await call { item, cancellable, reason in
      (libsecret_unlock(item, cancellable, reason), nil)
    }
    guard outcome == LIBSECRET_DONE else { throw error(outcome, reason, since: before) }
    return before
  }

  /// The item's secret, or nil when there is no item.
  func lookUp() async throws(Failure) -> String? {
    let before = try await unlock()
    let (outcome, reason, secret) = try await call { item, cancellable, reason in
      var secret: UnsafeMutablePointer<CChar>?
      let outcome = libsecret_lookup(item, &secret, cancellable, reason)
      defer { if let secret { libsecret_free(secret) } }
      return (outcome, secret.map { String(cString: $0) })
    }
    switch outcome {
    case LIBSECRET_DONE: return secret
    case LIBSECRET_NONE where before == .missing: return nil
    case LIBSECRET_NONE:
      // Nothing is found either when the prompt for an item is dismissed; that must not look as if nobody were signed in.
      try await requireOpened(since: before)
      return nil
    default: throw error(outcome, reason, since: before)
    }
  }

  /// Stores a secret and makes sure that it is there.
  func store(_ secret: String) async throws(Failure) {
    let before = try await unlock()
    let (outcome, reason, _) = try await call { item, cancellable, reason in
      (libsecret_store(item, secret, cancellable, reason), nil)
    }
    if outcome != LIBSECRET_DONE {
      if outcome != LIBSECRET_CANCELLED { try await requireOpened(since: before) }
      throw error(outcome, reason, since: before)
    }
    // Keyrings were seen to report success and to keep an empty item.
    guard try await lookUp() == secret else {
      throw Failure(store: .keyringFailed, "the keyring did not keep what it was given", hint: .useFileStore)
    }
  }

  /// Removes the item.
  func clear() async throws(Failure) {
    let before = try await unlock()
    let (outcome, reason, _) = try await call { item, cancellable, reason in
      (libsecret_clear(item, cancellable, reason), nil)
    }
    switch outcome {
    case LIBSECRET_DONE: return
    case LIBSECRET_NONE where before == .missing: return
    case LIBSECRET_NONE: try await requireOpened(since: before)
    default: throw error(outcome, reason, since: before)
    }
  }

  /// Makes sure that somebody unlocked, or made, what a call found closed.
  ///
  /// A dismissed prompt looks as many ways as there are calls: nothing was found, an item is locked, a collection is not
  /// there. But what was closed then, and still is, was dismissed.
  private func requireOpened(since before: KeyringCondition) async throws(Failure) {
    guard before != .open, try await check() == before else { return }
    throw error(LIBSECRET_DISMISSED, "", since: before)
  }
}
