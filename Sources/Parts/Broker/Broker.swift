import CMSAuthGLib
import Glibc
package import MSAuthCore
import MSAuthUnix

/// The identity broker of an enrolled device on the session bus: Microsoft's, or Himmelblau's.
package struct Broker: Sendable {
  package enum Method: String, Sendable {
    case version = "getLinuxBrokerVersion"
    case accounts = "getAccounts"
    case silent = "acquireTokenSilently"
    case interactive = "acquireTokenInteractively"
    case removal = "removeAccount"
  }

  /// A response has several tokens, each of up to 256 KiB.
  private static let responseLimit = 1 << 20

  /// The default limit of a call: the bus may have to start the broker.
  package static let timeout: Duration = .seconds(15)

  private let bus: String?

  package init(environment: [String: String]) { bus = sessionBusAddress(in: environment) }

  /// Calls a method and returns the members of its response, which has no error.
  package func call(
    _ method: Method,
    _ request: JSONValue,
    correlationID: String,
    within timeout: Duration = Self.timeout
  ) async throws(BrokerFailure) -> JSONValue.Object {
    let text = request.serializedString()
    // A running broker returns its accounts and version at once; one that the bus has to start may take longer.
    let isQuick = method == .accounts || method == .version
    let limit = isQuick ? min(timeout, .seconds(5)) : timeout
    let reply: String
    do throws(BrokerFailure) {
      reply = try await send(method, text, correlationID, mayStart: false, within: limit)
    } catch {
      guard error == .absent else { throw error }
      reply = try await send(method, text, correlationID, mayStart: true, within: timeout)
    }
    return try BrokerResponse.members(of: reply)
  }

  private func send(
    _ method: Method,
    _ text: String,
    _ correlationID: String,
    mayStart: Bool,
    within timeout: Duration
  ) async throws(BrokerFailure) -> String {
    guard let bus, bus.utf8.allSatisfy(\.isASCIIVisible), await Self.openLibrary() else { throw .absent }
    let result = await BoundedCall.run(within: timeout) { cancellable -> Result<String, BrokerFailure> in
      var reason = glib_reason()
      var reply: UnsafeMutablePointer<CChar>?
      let (name, limit) = (method.rawValue, Self.responseLimit)
      let outcome = broker_call(bus, mayStart, name, correlationID, text, limit, cancellable.pointer, &reply, &reason)
      guard outcome == BROKER_REPLIED, let reply else {
        return .failure(outcome == BROKER_ABSENT ? .absent : BrokerFailure(busError: reason.string))
      }
      defer { free(reply) }
      return .success(String(cString: reply))
    }
    switch result {
    case .success(let reply): return reply
    // The call itself may fail first, as canceled.
    case _ where Task.isCancelled: throw BrokerFailure(.canceled)
    case .failure(let failure): throw failure
    case nil: throw BrokerFailure(.timedOut, "no response within \(timeout.words)")
    }
  }

  private static func openLibrary() async -> Bool {
    await BackgroundThread.run { _ in
      var reason = glib_reason()
      return glib_open(&reason)
    }
  }
}
