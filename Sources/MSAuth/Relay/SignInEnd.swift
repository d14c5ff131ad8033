import Core
import FoundationEssentials
package import Loopback
import Synchronization

/// The end that signs in: its listener is where the browser is.
package final class SignInEnd: RedirectListening {
  private typealias Request = (id: Int64, request: LoopbackRequest)
  private typealias Answer = Result<(port: UInt16, recognisesUsers: Bool), LoopbackError>

  private let send: @Sendable (SignInEndMessage) -> Void
  private let answer = OneShot<Answer>()
  private let requests: AsyncStream<Request>
  private let incoming: AsyncStream<Request>.Continuation

  package init(send: @escaping @Sendable (SignInEndMessage) -> Void) {
    self.send = send
    (requests, incoming) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(RelayLimits.maximumRequests))
  }

  /// Takes a message of the other end.
  package func receive(_ message: BrowserEndMessage) throws(Refusal) {
    switch message {
    case .begin: throw Refusal("the sign-in has begun already")
    case .listening(let port, let recognisesUsers): answer.resume(.success((port, recognisesUsers)))
    case .notListening(let error): answer.resume(.failure(error))
    case .request(let id, let request):
      // A browser must not wait for an answer that never comes.
      if case .dropped = incoming.yield((id, request)) { send(.response(id: id, RelayedResponse(status: 503))) }
    }
  }

  /// Tells the other end what happens.
  package func report(_ event: BrowserEvent) {
    switch event {
    case .address(let url): send(.open(address: url.absoluteString))
    case .waiting(let timeout, let hint): send(.waiting(timeout: timeout, hint: hint.description))
    case .refused(let reason): send(.refused(reason: reason))
    case .ignored(let reason): send(.ignored(reason: reason))
    // No browser is opened here, the other end has a link of its own, and nobody else's sign-in is waited for.
    case .link, .opened, .notOpened, .joining, .waitingForSignOut: break
    }
  }

  package func listen(on host: LoopbackHost, port: UInt16) async throws(LoopbackError) -> any RedirectListener {
    send(.listen(host, port: port))
    guard let answer = try? await answer.value() else {
      throw LoopbackError(.notListening, port: port, message: "the other end does not listen")
    }
    let (port, recognisesUsers) = try answer.get()
    return Listener(host: host, port: port, recognisesUsers: recognisesUsers, end: self)
  }

  /// The other end's listener, as it is seen from here.
  private struct Listener: RedirectListener {
    let host: LoopbackHost
    let port: UInt16
    let recognisesUsers: Bool
    let end: SignInEnd

    func run(
      onEvent: @escaping @Sendable (LoopbackListener.Event) -> Void,
      refusal: @escaping @Sendable (_ status: Int, LoopbackRequest?) -> LoopbackResponse?,
      _ respond: @escaping @Sendable (LoopbackRequest) async -> LoopbackResponse
    ) async throws(LoopbackError) {
      await withDiscardingTaskGroup { group in
        for await (id, request) in end.requests {
          group.addTask { [end] in end.send(.response(id: id, RelayedResponse(await respond(request)))) }
        }
        group.cancelAll()
      }
    }

    // The other end frees the port when this one has ended.
    func close() { end.incoming.finish() }
  }
}
