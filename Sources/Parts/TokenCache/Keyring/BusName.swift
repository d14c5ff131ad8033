import CMSAuthGLib
import FoundationEssentials
import MSAuthCore
import MSAuthUnix
import Synchronization

/// A name on the session bus that one process owns at a time: sandboxes that share a keyring may share no directory for a
/// lock file.
final class BusName: @unchecked Sendable {
  /// The bus responds within milliseconds; a busy machine takes much longer.
  private static let timeout: Duration = .seconds(5)

  private let connection: Atomic<UnsafeMutableRawPointer?>

  private init(_ connection: UnsafeMutableRawPointer) { self.connection = Atomic(connection) }

  deinit { release() }

  /// Waits for the name; `nil` if it can't be a lock: there is no bus, or a sandbox doesn't allow the name.
  static func own(_ name: String, until deadline: Deadline) async throws(AuthenticationError) -> BusName? {
    let address = sessionBusAddress(in: ProcessInfo.processInfo.environment)
    guard let address, await Keyring.openLibrary() == nil else { return nil }
    while true {
      let (outcome, owner) = await request(name, on: address)
      guard outcome == BUS_NAME_TAKEN else { return owner }
      guard !deadline.hasPassed else {
        let message = "another program holds the keyring's lock, the name \(name) on the session bus"
        throw AuthenticationError(store: .locked, message, hint: .tryAgain)
      }
      try await Duration.milliseconds(.random(in: 10...30)).sleep()
    }
  }

  /// A name that arrives after the timeout is released with its owner.
  private static func request(_ name: String, on bus: String) async -> (outcome: bus_name_outcome, owner: BusName?) {
    let response = await BoundedCall.run(within: timeout) { cancellable in
      var connection: UnsafeMutableRawPointer?
      let outcome = bus_name_request(bus, name, cancellable.pointer, &connection)
      return (outcome, connection.map { BusName($0) })
    }
    return response ?? (BUS_NAME_TAKEN, nil)
  }

  func release() {
    if let last = connection.exchange(nil, ordering: .acquiringAndReleasing) { bus_name_release(last) }
  }
}
