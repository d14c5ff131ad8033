import CLibSecret
import Glibc
import Core

/// One item of the desktop's keyring, over the Secret Service.
struct Keyring: Sendable {
  /// Seconds for a keyring that asks nobody; healthy ones answer within 10 ms, one that D-Bus must start within 2 s.
  static let patience = 5.0
  /// Seconds for a person to type the keyring's password.
  static let promptPatience = 30.0

  let schema: String
  let matchesSchema: Bool
  let attributes: [String: String]
  let label: String
  let collection: String
  let mayPrompt: Bool

  /// What a call meets before it asks for anything.
  enum Condition: Sendable, Equatable {
    case open
    /// Somebody must unlock it.
    case locked
    /// There is no collection yet; the keyring makes one when the first item comes, and may ask for its password.
    case missing
  }

  /// Makes sure that the keyring answers, and that it is open or somebody can open it.
  ///
  /// - Throws: ``TokenCacheError`` of one of the keyring kinds.
  @discardableResult
  func check() throws(TokenCacheError) -> Condition {
    guard Self.hasBus else {
      throw TokenCacheError(.keyringAbsent, "there is no keyring: this session has no D-Bus", remedy: .useFileStore)
    }
    var failure = libsecret_reason()
    guard libsecret_open(&failure) else {
      throw TokenCacheError(
        .keyringAbsent,
        "the keyring's library cannot be opened: \(Self.text(failure))",
        remedy: .repairKeyring(.install)
      )
    }
    let (outcome, reason, _) = call(within: Self.patience) { item, cancellable, reason in
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
  ///
  /// - Throws: ``TokenCacheError`` of one of the keyring kinds.
  /// - Returns: What it was before.
  private func open() throws(TokenCacheError) -> Condition {
    let before = try check()
    guard before == .locked else { return before }
    let (outcome, reason, _) = call { item, cancellable, reason in
      (libsecret_unlock(item, cancellable, reason), nil)
    }
    guard outcome == LIBSECRET_DONE else { throw error(outcome, reason, since: before) }
    return before
  }

  /// The item's secret, or nil when there is no item.
  func lookUp() throws(TokenCacheError) -> String? {
    let before = try open()
    let (outcome, reason, secret) = call { item, cancellable, reason in
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
      try requireOpened(since: before)
      return nil
    default: throw error(outcome, reason, since: before)
    }
  }

  /// Stores a secret and makes sure that it is there.
  ///
  /// - Parameter secret: Text without NUL.
  /// - Throws: ``TokenCacheError`` of one of the keyring kinds.
  func store(_ secret: String) throws(TokenCacheError) {
    let before = try open()
    let (outcome, reason, _) = call { item, cancellable, reason in
      (libsecret_store(item, secret, cancellable, reason), nil)
    }
    if outcome != LIBSECRET_DONE {
      if outcome != LIBSECRET_CANCELLED { try requireOpened(since: before) }
      throw error(outcome, reason, since: before)
    }
    // Keyrings were seen to report success and to keep an empty item.
    guard try lookUp() == secret else {
      throw TokenCacheError(.keyringFailed, "the keyring did not keep what it was given", remedy: .useFileStore)
    }
  }

  /// Removes the item.
  func clear() throws(TokenCacheError) {
    let before = try open()
    let (outcome, reason, _) = call { item, cancellable, reason in (libsecret_clear(item, cancellable, reason), nil) }
    switch outcome {
    case LIBSECRET_DONE: return
    case LIBSECRET_NONE where before == .missing: return
    case LIBSECRET_NONE: try requireOpened(since: before)
    default: throw error(outcome, reason, since: before)
    }
  }

  /// Makes sure that somebody unlocked, or made, what a call found closed.
  ///
  /// A dismissed prompt looks as many ways as there are calls: nothing was found, an item is locked, a collection is not
  /// there. But what was closed then, and still is, was dismissed.
  private func requireOpened(since before: Condition) throws(TokenCacheError) {
    guard before != .open, try check() == before else { return }
    throw error(LIBSECRET_DISMISSED, "", since: before)
  }
}
