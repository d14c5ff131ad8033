import CMSAuthGLib
import Glibc
import MSAuthCore
import MSAuthUnix
import Synchronization

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

  /// Opens libsecret before its first use; returns why it can't be opened.
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
    let hasLeft = Atomic<Bool>(false)
    let reply = await BoundedCall.run(within: timeout ?? (mayPrompt ? Self.promptTimeout : Self.timeout)) {
      // The bus may be about to start one.
      guard let owner, !owner.isEmpty, let now = await Self.nameOwner(), now != owner else { return false }
      hasLeft.store(true, ordering: .relaxed)
      return true
    } _: { cancellable in
      perform(call, cancellable)
    }
    if let reply { return reply }
    if Task.isCancelled { throw .canceled }
    if hasLeft.load(ordering: .relaxed) { return Reply(outcome: LIBSECRET_ABSENT, reason: "it exited during the call") }
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
