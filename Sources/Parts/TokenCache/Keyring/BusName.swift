import CMSAuthGLib
import FoundationEssentials
import MSAuthCore
import MSAuthUnix
import Synchronization

/// A name on the session bus that one process owns at a time: sandboxes that share a keyring may share no directory for a
/// lock file.
final class BusName: Sendable {
  /// The bus responds within milliseconds; a busy machine takes much longer.
  private static let timeout: Duration = .seconds(5)

  private let connection: Mutex<UnsafeSendable?>

  private struct UnsafeSendable: @unchecked Sendable { let pointer: UnsafeMutableRawPointer }

  private enum Request: Sendable {
    case owned(BusName)
    case taken
    case unavailable
  }

  private init(_ connection: UnsafeMutableRawPointer) { self.connection = Mutex(UnsafeSendable(pointer: connection)) }

  deinit { release() }

  /// Waits for the name; `nil` if it can't be a lock: there is no bus, or a sandbox doesn't allow the name.
  static func own(_ name: String, until deadline: Deadline) async throws(AuthenticationError) -> BusName? {
    let address = sessionBusAddress(in: ProcessInfo.processInfo.environment)
    guard let address, await Keyring.openLibrary() == nil else { return nil }
    while true {
      switch await request(name, on: address) {
      case .owned(let name): return name
      case .unavailable: return nil
      case .taken: break
      }
      guard !deadline.hasPassed else {
        let message = "another program holds the keyring's lock, the name \(name) on the session bus"
        throw AuthenticationError(store: .locked, message, hint: .tryAgain)
      }
      try await Duration.milliseconds(.random(in: 10...30)).sleep()
    }
  }

  /// A name that arrives after the timeout is released with its owner.
  private static func request(_ name: String, on bus: String) async -> Request {
    let request = await BoundedCall.run(within: timeout) { cancellable -> Request in
      var owner: UnsafeMutableRawPointer?
      return switch bus_name_request(bus, name, cancellable.pointer, &owner) {
      case BUS_NAME_OWNED: owner.map { .owned(BusName($0)) } ?? .unavailable
      case BUS_NAME_TAKEN: .taken
      default: .unavailable
      }
    }
    return request ?? .taken
  }

  func release() {
    if let last = connection.withLock({ $0.take() }) { bus_name_release(last.pointer) }
  }
}
