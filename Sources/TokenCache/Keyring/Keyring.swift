import CMSAuthGLib
import MSAuthCore
import MSAuthUnix

/// The keyring's state before a call.
package enum KeyringCondition: Sendable, Equatable {
  case open
  case locked
  /// There is no collection yet; the keyring creates one for the first item, and may prompt for its password.
  case missing
}

/// One item of the desktop's keyring, over the Secret Service.
struct Keyring: Sendable {
  /// Without a prompt, a keyring responds within 10 ms, or 2 s if D-Bus starts it; busy machines need several times that.
  static let timeout: Duration = .seconds(10)
  /// For the user to type the keyring's password.
  static let promptTimeout: Duration = .seconds(30)

  let item: KeyringItem
  let mayPrompt: Bool

  /// Throws unless the keyring responds, and is open or can be unlocked.
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

  /// Prompts the user to unlock the keyring; a lookup doesn't, since GNOME Keyring finds nothing in a locked collection.
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
      // A dismissed prompt also finds nothing; that must not look like a cache without accounts.
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
    // Some keyrings report success and keep an empty item.
    guard try await lookUp() == secret else {
      throw Failure(store: .keyringFailed, "the keyring did not store the secret", hint: .useFileStore)
    }
  }

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

  /// Throws if a dismissed prompt left the keyring locked; each call reports that differently.
  private func requireOpened(since before: KeyringCondition) async throws(Failure) {
    guard before != .open, try await check() == before else { return }
    throw error(LIBSECRET_DISMISSED, "", since: before)
  }
}

extension Keyring {
  private static let inTime = "within \(promptTimeout.components.seconds) seconds"

  func error(_ outcome: libsecret_outcome, _ reason: String, since before: KeyringCondition = .open) -> Failure {
    let why = reason.isEmpty ? "" : ": \(reason)"
    let isDismissed = outcome == LIBSECRET_DISMISSED
    let prompt = isDismissed ? "its prompt was dismissed" : "there was no input \(Self.inTime)"
    let (kind, message, step): (FailureReason, String, String) =
      switch (outcome, before) {
      case (LIBSECRET_ABSENT, _):
        (.keyringAbsent, "no keyring responds in this session\(why)", "start GNOME Keyring, KWallet or KeePassXC")
      case (LIBSECRET_DISMISSED, .missing), (LIBSECRET_CANCELLED, .missing):
        (
          isDismissed && mayPrompt ? .keyringDismissed : .keyringLocked,
          "the keyring is new and needs a password, but \(mayPrompt ? prompt : "no prompt can be shown")",
          "choose a password on the desktop"
        )
      case (LIBSECRET_DISMISSED, _):
        (.keyringDismissed, "the keyring stayed locked: its prompt was dismissed", "try again and unlock it")
      case (LIBSECRET_LOCKED, _):
        (.keyringLocked, "the keyring is locked", "unlock it on the desktop")
      case (LIBSECRET_CANCELLED, .locked):
        (.keyringLocked, "the keyring is locked, and wasn't unlocked \(Self.inTime)", "unlock it on the desktop")
      case (LIBSECRET_CANCELLED, .open):
        (.keyringMute, "the keyring does not respond", "restart it")
      default:
        (.keyringFailed, "the keyring failed\(why)", "try again")
      }
    return Failure(store: kind, message, hint: .repairKeyring(step))
  }
}
