import CLibSecret
import Glibc
import Primitives

/// One item of the desktop's keyring, over the Secret Service.
struct Keyring: Sendable {
  /// Seconds for a keyring that asks nobody; healthy ones answer within 10 ms, one that D-Bus must start within 2 s.
  static let patience = 5.0
  /// Seconds for a person to type the keyring's password.
  static let promptPatience = 30.0

  let schema: String
  let attributes: [String: String]
  let label: String
  let collection: String
  let mayPrompt: Bool

  /// Makes sure that the keyring answers, and that it is open or somebody can open it.
  ///
  /// - Throws: ``TokenCacheError`` of one of the keyring kinds.
  /// - Returns: Whether it is locked.
  @discardableResult
  func check() throws(TokenCacheError) -> Bool {
    guard Self.hasBus else {
      throw TokenCacheError(.keyringAbsent, "there is no keyring: this session has no D-Bus", hint: Self.fileHint)
    }
    var failure = libsecret_reason()
    guard libsecret_open(&failure) else {
      throw TokenCacheError(
        .keyringAbsent,
        "the keyring's library cannot be opened: \(Self.text(failure))",
        hint: "install libsecret-1-0, or \(Self.fileHint)"
      )
    }
    let collection = collection
    let (outcome, reason) = run(within: Self.patience) { cancellable, reason in
      libsecret_state(collection, cancellable, reason)
    }
    switch outcome {
    // Without a collection nothing is locked; the keyring makes one when the first item comes.
    case LIBSECRET_DONE, LIBSECRET_NONE: return false
    case LIBSECRET_LOCKED where mayPrompt: return true
    default: throw error(outcome, reason)
    }
  }

  /// The item's secret, or nil when there is no item.
  func lookUp() throws(TokenCacheError) -> String? {
    let wasLocked = try check()
    let (outcome, reason, secret) = item { item, cancellable, reason in
      var secret: UnsafeMutablePointer<CChar>?
      let outcome = libsecret_lookup(item, &secret, cancellable, reason)
      defer { if let secret { libsecret_free(secret) } }
      return (outcome, secret.map { String(cString: $0) })
    }
    switch outcome {
    case LIBSECRET_DONE: return secret
    case LIBSECRET_NONE:
      // libsecret finds nothing when the prompt is dismissed; that must not look as if nobody were signed in.
      if wasLocked, try check() { throw error(LIBSECRET_DISMISSED, "") }
      return nil
    default: throw error(outcome, reason, whileLocked: wasLocked)
    }
  }

  /// Stores a secret and makes sure that it is there.
  ///
  /// - Parameter secret: Text without NUL.
  /// - Throws: ``TokenCacheError`` of one of the keyring kinds.
  func store(_ secret: String) throws(TokenCacheError) {
    let wasLocked = try check()
    let (outcome, reason, _) = item { item, cancellable, reason in
      (libsecret_store(item, secret, cancellable, reason), nil)
    }
    guard outcome == LIBSECRET_DONE else { throw error(outcome, reason, whileLocked: wasLocked) }
    // Keyrings were seen to report success and to keep an empty item.
    guard try lookUp() == secret else {
      throw TokenCacheError(.keyringFailed, "the keyring did not keep what it was given", hint: Self.fileHint)
    }
  }

  /// Removes the item.
  func clear() throws(TokenCacheError) {
    let wasLocked = try check()
    let (outcome, reason, _) = item { item, cancellable, reason in (libsecret_clear(item, cancellable, reason), nil) }
    guard outcome == LIBSECRET_DONE || outcome == LIBSECRET_NONE else {
      throw error(outcome, reason, whileLocked: wasLocked)
    }
  }
}

extension Keyring {
  private typealias Reason = UnsafeMutablePointer<libsecret_reason>
  private static let fileHint = "use --store file"

  /// Whether there is a session bus at all; without one GLib would try to start one of its own on some systems.
  private static var hasBus: Bool {
    if let address = getenv("DBUS_SESSION_BUS_ADDRESS"), address.pointee != 0 { return true }
    guard let folder = getenv("XDG_RUNTIME_DIR"), folder.pointee != 0 else { return false }
    return access(String(cString: folder) + "/bus", F_OK) == 0
  }

  private static func text(_ reason: libsecret_reason) -> String {
    withUnsafeBytes(of: reason.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }.printable()
  }

  private func run(
    within seconds: Double,
    _ body: @escaping @Sendable (UnsafeMutableRawPointer?, Reason) -> libsecret_outcome
  ) -> (libsecret_outcome, String) {
    BoundedCall.run(within: seconds) { cancellable in
      var reason = libsecret_reason()
      let outcome = body(cancellable.pointer, &reason)
      return (outcome, Self.text(reason))
    } ?? (LIBSECRET_CANCELLED, "")
  }

  private func item(
    _ body:
      @escaping @Sendable (UnsafePointer<libsecret_item>, UnsafeMutableRawPointer?, Reason) -> (
        libsecret_outcome, String?
      )
  ) -> (libsecret_outcome, String, String?) {
    let seconds = mayPrompt ? Self.promptPatience : Self.patience
    return BoundedCall.run(within: seconds) { cancellable in
      withItem { item in
        var reason = libsecret_reason()
        let (outcome, secret) = body(item, cancellable.pointer, &reason)
        return (outcome, Self.text(reason), secret)
      }
    } ?? (LIBSECRET_CANCELLED, "", nil)
  }

  private func withItem<Value>(_ body: (UnsafePointer<libsecret_item>) -> Value) -> Value {
    let texts = [schema, collection, label] + attributes.flatMap { [$0.key, $0.value] }
    let copies = texts.map { UnsafePointer(strdup($0)) }
    defer { for copy in copies { free(UnsafeMutablePointer(mutating: copy)) } }
    let names = stride(from: 3, to: copies.count, by: 2).map { copies[$0] }
    let values = stride(from: 4, to: copies.count, by: 2).map { copies[$0] }
    return names.withUnsafeBufferPointer { names in
      values.withUnsafeBufferPointer { values in
        var item = libsecret_item()
        item.schema = copies[0]
        item.collection = copies[1]
        item.label = copies[2]
        item.count = names.count
        item.names = names.baseAddress
        item.values = values.baseAddress
        return body(&item)
      }
    }
  }

  private func error(_ outcome: libsecret_outcome, _ reason: String, whileLocked: Bool = false) -> TokenCacheError {
    let why = reason.isEmpty ? "" : ": \(reason)"
    switch outcome {
    case LIBSECRET_ABSENT:
      return TokenCacheError(
        .keyringAbsent,
        "no keyring answers in this session\(why)",
        hint: "start GNOME Keyring, KWallet or KeePassXC, or \(Self.fileHint)"
      )
    case LIBSECRET_LOCKED:
      return TokenCacheError(
        .keyringLocked,
        "the keyring is locked",
        hint: "unlock it on the desktop, or \(Self.fileHint)"
      )
    case LIBSECRET_CANCELLED where whileLocked:
      return TokenCacheError(
        .keyringLocked,
        "the keyring is locked, and nobody unlocked it within \(Int(Self.promptPatience)) seconds",
        hint: "unlock it on the desktop, or \(Self.fileHint)"
      )
    case LIBSECRET_CANCELLED:
      return TokenCacheError(
        .keyringMute,
        "the keyring does not answer",
        hint: "restart it, or \(Self.fileHint)"
      )
    case LIBSECRET_DISMISSED:
      return TokenCacheError(
        .keyringDismissed,
        "the keyring stayed locked: its prompt was dismissed",
        hint: "try again and unlock it, or \(Self.fileHint)"
      )
    default:
      return TokenCacheError(.keyringFailed, "the keyring failed\(why)", hint: "try again, or \(Self.fileHint)")
    }
  }
}
