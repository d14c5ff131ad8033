import CLibSecret
import Glibc
import Core

extension Keyring {
  /// Where a call says why it failed.
  typealias Reason = UnsafeMutablePointer<libsecret_reason>

  /// Whether there is a session bus at all; without one GLib would try to start one of its own on some systems.
  static var hasBus: Bool {
    if let address = getenv("DBUS_SESSION_BUS_ADDRESS"), address.pointee != 0 { return true }
    guard let folder = getenv("XDG_RUNTIME_DIR"), folder.pointee != 0 else { return false }
    return access(String(cString: folder) + "/bus", F_OK) == 0
  }

  /// A reason, fit for a terminal.
  static func text(_ reason: libsecret_reason) -> String {
    withUnsafeBytes(of: reason.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }.printable()
  }

  /// Seconds for the bus itself, which only looks into a table.
  private static let busPatience = 0.5

  /// Who keeps secrets on the bus: nil when the bus does not tell, and nothing when nobody does.
  ///
  /// Libsecret does not notice when a keyring ends in the middle of its own prompt.
  private static var keeper: String? {
    var owner = libsecret_reason()
    return switch libsecret_owner(&owner, Int32(busPatience * 1000)) {
    case LIBSECRET_DONE: text(owner)
    case LIBSECRET_ABSENT: ""
    default: nil
    }
  }

  /// Makes one call about the item.
  ///
  /// - Parameters:
  ///   - seconds: The deadline; nil leaves time for a person who may be asked.
  ///   - body: The call.
  /// - Returns: What became of it, why, and the secret that it found.
  func call(
    within seconds: Double? = nil,
    _ body:
      @escaping @Sendable (UnsafePointer<libsecret_item>, UnsafeMutableRawPointer?, Reason) -> (
        libsecret_outcome, String?
      )
  ) -> (libsecret_outcome, String, String?) {
    // Connecting to the bus has no deadline of its own, and even the bus may be mute.
    let keeper = BoundedCall.run(within: Self.busPatience) { _ in Self.keeper } ?? nil
    var hasLeft = false
    let result = BoundedCall.run(within: seconds ?? (mayPrompt ? Self.promptPatience : Self.patience)) {
      // The bus may be about to start one that is not there yet.
      if let keeper, !keeper.isEmpty, let now = Self.keeper { hasLeft = now != keeper }
      return hasLeft
    } _: { cancellable in
      withItem { item in
        var reason = libsecret_reason()
        let (outcome, secret) = body(item, cancellable.pointer, &reason)
        return (outcome, Self.text(reason), secret)
      }
    }
    if hasLeft { return (LIBSECRET_ABSENT, "it ended while it was asked", nil) }
    return result ?? (LIBSECRET_CANCELLED, "", nil)
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
        item.matches_any_schema = !matchesSchema
        item.collection = copies[1]
        item.label = copies[2]
        item.count = names.count
        item.names = names.baseAddress
        item.values = values.baseAddress
        return body(&item)
      }
    }
  }
}
