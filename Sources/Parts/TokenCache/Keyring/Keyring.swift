import CMSAuthGLib
import FoundationEssentials
import Glibc
import MSAuthCore
import MSAuthUnix
import Synchronization

/// The keyring's state before a call.
package enum KeyringCondition: Sendable, Equatable {
  case open
  case locked
  /// There is no collection yet; the keyring creates one for the first item, and may prompt for its password.
  case missing
}

/// One item of the desktop's keyring, over the Secret Service.
struct Keyring: Sendable {
  /// Without a prompt, a keyring responds within 10 ms, or 2 s if D-Bus starts it; a busy machine takes several times that.
  static let timeout: Duration = .seconds(10)
  /// The user's time to type the keyring's password.
  static let promptTimeout: Duration = .seconds(30)

  let item: KeyringItem
  let mayPrompt: Bool

  /// Throws unless the keyring responds, and is open or can be unlocked.
  @discardableResult
  func check() async throws(AuthenticationError) -> KeyringCondition {
    guard sessionBusAddress(in: ProcessInfo.processInfo.environment) != nil else {
      throw AuthenticationError(store: .keyringAbsent, "no keyring: this session has no D-Bus", hint: .useFileStore)
    }
    if let failure = await Self.openLibrary() {
      let message = "the keyring's library can't be opened: \(failure)"
      throw AuthenticationError(store: .keyringAbsent, message, hint: .repairKeyring("install libsecret-1-0"))
    }
    let reply = try await call(within: Self.timeout, libsecret_state)
    switch reply.outcome {
    case LIBSECRET_DONE: return .open
    case LIBSECRET_NONE: return .missing
    case LIBSECRET_LOCKED where mayPrompt: return .locked
    default: throw error(reply)
    }
  }

  /// Prompts the user to unlock the keyring; a lookup wouldn't, and finds nothing in a locked collection of GNOME Keyring.
  @discardableResult
  func unlock() async throws(AuthenticationError) -> KeyringCondition {
    let before = try await check()
    guard before == .locked else { return before }
    let reply = try await call(libsecret_unlock)
    guard reply.outcome == LIBSECRET_DONE else { throw error(reply, since: before) }
    return before
  }

  func lookUp() async throws(AuthenticationError) -> String? { try await unlockAndCall(libsecret_lookup).secret }

  func clear() async throws(AuthenticationError) { _ = try await unlockAndCall(libsecret_clear) }

  private func unlockAndCall(_ call: @escaping Call) async throws(AuthenticationError) -> Reply {
    let before = try await unlock()
    let reply = try await self.call(call)
    switch reply.outcome {
    case LIBSECRET_DONE: break
    case LIBSECRET_NONE where before == .missing: break
    case LIBSECRET_NONE: try await requireOpened(since: before)
    default: throw error(reply, since: before)
    }
    return reply
  }

  /// Stores a secret and makes sure that it is there.
  func store(_ secret: String) async throws(AuthenticationError) {
    let before = try await unlock()
    let reply = try await call { libsecret_store($0, secret, $1, $2) }
    if reply.outcome != LIBSECRET_DONE {
      if reply.outcome != LIBSECRET_CANCELLED { try await requireOpened(since: before) }
      throw error(reply, since: before)
    }
    // Some keyrings report success and keep an empty item.
    guard try await lookUp() == secret else {
      throw AuthenticationError(store: .keyringFailed, "the keyring didn't store the secret", hint: .useFileStore)
    }
  }

  /// Throws if the keyring is locked: an item that isn't found in it must not look like an empty cache.
  ///
  /// After a dismissed prompt, or if another process locked the keyring in the meantime, some calls report only that no item
  /// was found.
  private func requireOpened(since before: KeyringCondition) async throws(AuthenticationError) {
    let now = try await check()
    if now == .locked, before == .open { throw error(Reply(outcome: LIBSECRET_LOCKED)) }
    if now != .open, now == before { throw error(Reply(outcome: LIBSECRET_DISMISSED), since: before) }
  }
}

extension Keyring {
  private static let promptLimit = "within \(promptTimeout.components.seconds) seconds"

  private func error(_ reply: Reply, since before: KeyringCondition = .open) -> AuthenticationError {
    let detail = reply.reason.isEmpty ? "" : ": \(reply.reason)"
    let isDismissed = reply.outcome == LIBSECRET_DISMISSED
    let prompt = isDismissed ? "its prompt was dismissed" : "there was no input \(Self.promptLimit)"
    let (reason, message, step): (AuthenticationError.Reason, String, String) =
      switch (reply.outcome, before) {
      case (LIBSECRET_ABSENT, _):
        (.keyringAbsent, "no keyring responds in this session\(detail)", "start GNOME Keyring, KWallet or KeePassXC")
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
        (.keyringLocked, "the keyring is locked, and wasn't unlocked \(Self.promptLimit)", "unlock it on the desktop")
      case (LIBSECRET_CANCELLED, .open):
        (.keyringUnresponsive, "the keyring doesn't respond", "restart it")
      default:
        (.keyringFailed, "the keyring failed\(detail)", "try again")
      }
    return AuthenticationError(store: reason, message, hint: .repairKeyring(step))
  }
}

extension Keyring {
  /// A function of libsecret: takes the item, a cancellable, and where to store the reason of a failure.
  typealias Call =
    @Sendable (
      UnsafeMutablePointer<libsecret_item>?, UnsafeMutableRawPointer?, UnsafeMutablePointer<glib_reason>?
    ) -> libsecret_outcome

  struct Reply: Sendable {
    let outcome: libsecret_outcome
    var reason = ""
    var secret: String?
  }

  /// Opens libsecret before its first use; returns the reason of a failure.
  static func openLibrary() async -> String? {
    await BackgroundThread.run { _ in
      var failure = glib_reason()
      return libsecret_open(&failure) ? nil : failure.string
    }
  }

  /// The bus's own timeout, in milliseconds; it only looks up a name.
  private static let busTimeout = 500

  /// The owner of the keyring's bus name, empty if there is none: libsecret doesn't notice a keyring that exits.
  private static func nameOwner() async -> String? {
    // Connecting to the bus has no deadline, and even the bus may not respond.
    let owner = await BoundedCall.run(within: .milliseconds(busTimeout)) { _ -> String? in
      var owner = glib_reason()
      return switch libsecret_owner(&owner, Int32(busTimeout)) {
      case LIBSECRET_DONE: owner.string
      case LIBSECRET_ABSENT: ""
      default: nil
      }
    }
    return owner ?? nil
  }

  func call(within timeout: Duration? = nil, _ call: @escaping Call) async throws(AuthenticationError) -> Reply {
    let owner = await Self.nameOwner()
    let hasExited = Atomic<Bool>(false)
    let reply = await BoundedCall.run(within: timeout ?? (mayPrompt ? Self.promptTimeout : Self.timeout)) {
      // Without an owner before the call, the bus may be starting the keyring.
      guard let owner, !owner.isEmpty, let now = await Self.nameOwner(), now != owner else { return false }
      hasExited.store(true, ordering: .relaxed)
      return true
    } _: { cancellable in
      perform(call, cancellable)
    }
    // A canceled call may end before it is abandoned.
    if Task.isCancelled, reply?.outcome ?? LIBSECRET_CANCELLED == LIBSECRET_CANCELLED { throw .canceled }
    if let reply { return reply }
    if hasExited.load(ordering: .relaxed) {
      return Reply(outcome: LIBSECRET_ABSENT, reason: "it exited during the call")
    }
    return Reply(outcome: LIBSECRET_CANCELLED)
  }

  private func perform(_ call: Call, _ cancellable: BoundedCall.Cancellable) -> Reply {
    let strings = [item.schema, item.collection, item.label] + item.attributes.flatMap { [$0.key, $0.value] }
    let copies = strings.map { UnsafePointer(strdup($0)) }
    defer { for copy in copies { free(UnsafeMutablePointer(mutating: copy)) } }
    return copies.dropFirst(3).withUnsafeBufferPointer { attributes in
      var argument = libsecret_item()
      (argument.schema, argument.collection, argument.label) = (copies[0], copies[1], copies[2])
      argument.matches_any_schema = !item.findsBySchema
      (argument.count, argument.attributes) = (item.attributes.count, attributes.baseAddress)
      defer { if let secret = argument.secret { libsecret_free(secret) } }
      var reason = glib_reason()
      let outcome = call(&argument, cancellable.pointer, &reason)
      return Reply(outcome: outcome, reason: reason.string, secret: argument.secret.map { String(cString: $0) })
    }
  }
}
