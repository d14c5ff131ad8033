import Loopback
import Core
import Synchronization

/// Serves the page on 127.0.0.1 and performs its actions until the page is closed.
final class AppServer: Sendable {
  /// The server's times.
  struct Limits: Sendable {
    /// The maximum time that a request for changes is held when there are none, so that no proxy drops the connection.
    var changes: Duration = .seconds(20)
    /// How often the server checks whether the page is still open.
    var pollInterval: Duration = .milliseconds(500)
    /// The maximum time for the open pages to learn that the application has ended.
    var informing: Duration = .seconds(2)
    var pageLiveness = PageLiveness.Limits()
  }

  let listener: LoopbackListener
  private let rules: PageRules
  private let limits: Limits
  private let screen: Screen
  private let controller: ViewController
  private let oneTimeLink: Mutex<OneTimeLink>
  private let pageLiveness: Mutex<PageLiveness>
  private let notice: @Sendable (String) -> Void

  /// Makes a server; ``run()`` serves.
  ///
  /// - Parameters:
  ///   - listener: A bound listener on 127.0.0.1.
  ///   - oneTimeLink: The link that opens the page.
  ///   - controller: The controller of the buttons.
  ///   - limits: The server's times.
  ///   - notice: Called with each refusal, as text for a terminal.
  init(
    _ listener: LoopbackListener,
    oneTimeLink: OneTimeLink,
    controller: ViewController,
    limits: Limits = Limits(),
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.listener = listener
    self.rules = PageRules(port: listener.port)
    self.limits = limits
    self.controller = controller
    self.screen = controller.screen
    self.oneTimeLink = Mutex(oneTimeLink)
    self.pageLiveness = Mutex(PageLiveness(limits: limits.pageLiveness, now: .now))
    self.notice = notice
  }

  /// Serves until the page is closed for good, or the task is cancelled.
  ///
  /// - Returns: Why it ended; nil when the task was cancelled.
  /// - Throws: `LoopbackError` when the listener cannot run.
  func run() async throws -> PageLiveness.End? {
    // Not a child task, which would be cancelled before the open pages learn that the application has ended.
    let stopped = OneShot<Void>()
    let serving = Task {
      defer { stopped.resume() }
      try await listener.run { request in await self.respond(to: request) }
    }
    let end = await withTaskGroup(of: PageLiveness.End?.self) { group in
      group.addTask { await self.untilClosed() }
      group.addTask {
        try? await stopped.value()
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    if stopped.current == nil { await Task { await self.informPages() }.value }
    serving.cancel()
    do {
      try await serving.value
    } catch is CancellationError {
      // That is how it was stopped.
    }
    return end
  }

  /// Waits until every open page shows that the application has ended; a page that does not ask in time is gone.
  private func informPages() async {
    await screen.end()
    let deadline = SuspendingClock.now.advanced(by: limits.informing)
    while pageLiveness.withLock({ $0.hasUninformedPages }), SuspendingClock.now < deadline {
      try? await Task.sleep(for: .milliseconds(10))
    }
  }

  private func untilClosed() async -> PageLiveness.End? {
    while !Task.isCancelled {
      if let end = pageLiveness.withLock({ $0.end(at: .now) }) { return end }
      try? await Task.sleep(for: limits.pollInterval)
    }
    return nil
  }

  private func respond(to request: LoopbackRequest) async -> LoopbackResponse {
    switch oneTimeLink.withLock({ rules.validate(request, $0) }) {
    case .refuse(let status, let reason):
      notice("refused a request: \(reason)")
      return .refusal(status, status == 403 ? Self.forbidden : "There is nothing here.")
    case .answer(.open(let secret)): return enter(with: secret, request)
    case .answer(.file(let file)):
      if file == .page { pageLiveness.withLock { $0.delivered(at: .now) } }
      return file.response
    case .answer(.action(let action, let message)): return await perform(action, message)
    }
  }

  private func enter(with secret: Secret, _ request: LoopbackRequest) -> LoopbackResponse {
    let cookie = oneTimeLink.withLock { oneTimeLink in
      // A browser that has the cookie may open the link again.
      oneTimeLink.enter(with: secret) ?? (oneTimeLink.admits(request.values(of: "cookie")) ? "" : nil)
    }
    guard let cookie else {
      notice("refused a request: an invalid or used link")
      return .refusal(403, Self.forbidden)
    }
    var response = LoopbackResponse.seeOther("/")
    if !cookie.isEmpty { response.headers.append(("Set-Cookie", cookie)) }
    pageLiveness.withLock { $0.delivered(at: .now) }
    return response
  }

  private func perform(_ action: Action, _ message: PageMessage) async -> LoopbackResponse {
    pageLiveness.withLock { action == .leave ? $0.left(message.page, at: .now) : $0.heard(message.page, at: .now) }
    switch action {
    case .callGraph: await controller.callGraphAPI()
    case .signOut: await controller.signOut()
    case .deviceInfo: await controller.getDeviceMode()
    case .cancel: await controller.cancelSignIn()
    case .foreground: await controller.appCameToForeground()
    case .leave: break
    case .changes:
      await screen.change(from: message.revision, atMost: limits.changes)
      if await screen.hasEnded { pageLiveness.withLock { $0.informed(message.page) } }
      return .content(await screen.json.serialized(), mediaType: "application/json")
    }
    return .empty(200)
  }

  private static let forbidden = "Open this page with the address that msauth-app printed; it works once."
}
