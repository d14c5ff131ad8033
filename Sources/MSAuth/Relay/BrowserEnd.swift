import Core
package import Desktop
import FoundationEssentials
import LibCrypto
import Loopback
import Synchronization

/// The end with the browser: it listens for the redirect of a sign-in that runs on another computer.
///
/// What a browser sends is checked here as for a sign-in of this computer: who connects, sizes, times, `Host`, fetch
/// metadata. The other end checks the rest, and nothing that it says runs a script here, or opens another address than a
/// browser may.
package final class BrowserEnd: Sendable {
  private struct State {
    var listener: (any RedirectListener)?
    var listenFailure: AuthenticationError?
    var serving: Task<Void, Never>?
    var opening: Task<Void, Never>?
    var link: OneTimeLink?
    var lastID: Int64 = 0
    var waiting: [Int64: OneShot<RelayedResponse>] = [:]
  }

  private let name: String
  private let listening: any RedirectListening
  private let step: @Sendable (_ link: String, _ address: String, _ port: UInt16) async -> Void
  private let report: @Sendable (BrowserEvent) -> Void
  private let send: @Sendable (BrowserEndMessage) -> Void
  private let state = Mutex(State())

  /// Why there is no listener here, after the other end has asked for one.
  package var listenFailure: AuthenticationError? { state.withLock(\.listenFailure) }

  package init(
    name: String,
    session: DesktopSession,
    browser: any BrowserOpening,
    opensBrowser: Bool,
    report: @escaping @Sendable (BrowserEvent) -> Void,
    send: @escaping @Sendable (BrowserEndMessage) -> Void
  ) {
    self.name = name
    listening = SystemListening(session: session)
    let step = BrowserStep(browser: browser, session: session, opensBrowser: opensBrowser, report: report)
    self.step = { await step.open($0, showing: $1, port: $2) }
    self.report = report
    self.send = send
  }

  /// Takes a message of the other end.
  package func receive(_ message: SignInEndMessage) async throws(Refusal) {
    switch message {
    case .hello, .ended: break
    case .listen(let host, let port): try await listen(on: host, port: port)
    case .response(let id, let response): state.withLock { $0.waiting[id] }?.resume(response)
    case .open(let address): try open(address)
    case .waiting(let timeout, let hint): report(.waiting(timeout: timeout, hint: "\(name): \(hint)"))
    case .refused(let reason): report(.refused(reason: "\(name): \(reason)"))
    case .ignored(let reason): report(.ignored(reason: "\(name): \(reason)"))
    }
  }

  /// Frees the port, once what was answered is written.
  package func close() async {
    let (listener, serving, opening) = state.withLock { state in
      defer { (state.listener, state.serving, state.opening) = (nil, nil, nil) }
      return (state.listener, state.serving, state.opening)
    }
    listener?.close()
    serving?.cancel()
    opening?.cancel()
    await serving?.value
    await opening?.value
  }

  private func listen(on host: LoopbackHost, port: UInt16) async throws(Refusal) {
    guard state.withLock({ $0.listener == nil }) else { throw Refusal("it listens already") }
    let listener: any RedirectListener
    do throws(LoopbackError) {
      listener = try await listening.listen(on: host, port: port)
    } catch {
      state.withLock { $0.listenFailure = AuthenticationError(error) }
      return send(.notListening(error))
    }
    let serving = Task { [self] in
      do throws(LoopbackError) {
        try await listener.run(
          onEvent: { [report] event in report(.ignored(reason: event.description)) },
          refusal: { _, _ in nil },
          { [self] request in await ask(request) }
        )
      } catch {
        report(.ignored(reason: error.message))
      }
    }
    state.withLock { ($0.listener, $0.serving) = (listener, serving) }
    send(.listening(port: listener.port, recognisesUsers: listener.recognisesUsers))
  }

  private func open(_ address: String) throws(Refusal) {
    guard let listener = state.withLock(\.listener), state.withLock({ $0.opening == nil }) else {
      throw Refusal("there is no link to open now")
    }
    let shown: WebURL
    do {
      shown = try WebURL(address, .browser)
    } catch {
      throw Refusal("the provider's address \(error.reason)")
    }
    // The browser's command line contains nothing that the other end chose: shells and URL schemes could interpret it.
    guard let link = try? OneTimeLink(on: listener, random: SystemRandom()) else {
      throw Refusal("the system returned no random bytes for a link")
    }
    link.target.resume(shown.string)
    let opening = Task { [step] in await step(link.url, shown.string, listener.port) }
    state.withLock { ($0.opening, $0.link) = (opening, link) }
  }

  /// Has the other end answer a request, if a person may be behind it.
  private func ask(_ request: LoopbackRequest) async -> LoopbackResponse {
    do throws(RedirectRefusal) {
      try request.checkNavigation()
    } catch {
      report(.ignored(reason: error.reason))
      return .refusal(error.status, "This is no place for a page's own requests.")
    }
    if let link = state.withLock(\.link), request.path == link.path {
      return link.open().map { .redirect(to: $0) } ?? .refusal(410, "This link was already used.")
    }
    let response = OneShot<RelayedResponse>()
    let next: Int64? = state.withLock { state in
      guard state.waiting.count < RelayLimits.maximumRequests else { return nil }
      state.lastID += 1
      state.waiting[state.lastID] = response
      return state.lastID
    }
    guard let id = next else {
      report(.ignored(reason: "too many requests wait for the other end"))
      return .refusal(503, "Try again in a moment.")
    }
    defer { state.withLock { $0.waiting[id] = nil } }
    send(.request(id: id, request))
    return (try? await response.value())?.response ?? .refusal(503, "The sign-in is over.")
  }
}
