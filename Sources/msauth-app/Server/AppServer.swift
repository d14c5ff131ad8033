import MSAuthCore
import MSAuthLoopback
import Synchronization

/// Serves the page on 127.0.0.1 and performs its actions until the page is closed.
final class AppServer: Sendable {
  struct Limits: Sendable {
    /// For the page to be opened: browsers start slowly, and the user may have to paste the address.
    var opening: Duration = .seconds(300)
    /// How long a request for changes is held.
    var changes: Duration = .seconds(20)
    /// Without a request from a page: three times `changes`, so that a busy machine isn't mistaken for a closed browser.
    var silence: Duration = .seconds(60)
    /// After a page was closed, which may be a reload.
    var reload: Duration = .seconds(4)
    var pollInterval: Duration = .milliseconds(500)
  }

  /// The clock stops while the machine sleeps.
  private struct Presence {
    var lastSeen = SuspendingClock.now
    /// How long the page may stay silent.
    var limit: Duration
    var wasOpened = false
    /// Whether a page was delivered that hasn't sent a request yet.
    var isLoading = true
  }

  private let listener: LoopbackListener
  private let rules: PageRules
  private let limits: Limits
  private let screen: Screen
  private let controller: ViewController
  private let oneTimeLink: Mutex<OneTimeLink>
  private let presence: Mutex<Presence>

  init(_ listener: LoopbackListener, oneTimeLink: OneTimeLink, controller: ViewController, limits: Limits = Limits()) {
    self.listener = listener
    self.rules = PageRules(port: listener.port)
    self.limits = limits
    self.controller = controller
    self.screen = controller.screen
    self.oneTimeLink = Mutex(oneTimeLink)
    self.presence = Mutex(Presence(limit: limits.opening))
  }

  /// Serves until the page is closed or the task is canceled; returns `false` if the page was never opened.
  func run() async throws -> Bool {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await self.listener.run { request in await self.respond(to: request) }
        return true
      }
      group.addTask { await self.untilClosed() }
      defer { group.cancelAll() }
      return try await group.next() ?? true
    }
  }

  private func untilClosed() async -> Bool {
    while !Task.isCancelled {
      let presence = presence.withLock { $0 }
      if presence.lastSeen.duration(to: .now) >= presence.limit { return presence.wasOpened }
      try? await Task.sleep(for: limits.pollInterval)
    }
    return true
  }

  private func delivered() {
    presence.withLock { $0 = Presence(limit: limits.opening, wasOpened: true) }
  }

  private func respond(to request: LoopbackRequest) async -> LoopbackResponse {
    switch oneTimeLink.withLock({ rules.validate(request, $0) }) {
    case .refuse(let status): return .refusal(status, status == 403 ? Self.forbidden : "There is nothing here.")
    case .accept(.open(let secret)): return open(with: secret, request)
    case .accept(.file(let file)):
      if file == .page { delivered() }
      return file.response
    case .accept(.action(let action, let revision)): return await perform(action, revision)
    }
  }

  private func open(with secret: Secret, _ request: LoopbackRequest) -> LoopbackResponse {
    let cookie = oneTimeLink.withLock { oneTimeLink in
      // A browser that has the cookie may open the link again.
      oneTimeLink.exchange(secret) ?? (oneTimeLink.admits(request.values(of: "cookie")) ? "" : nil)
    }
    guard let cookie else { return .refusal(403, Self.forbidden) }
    var response = LoopbackResponse.seeOther("/")
    if !cookie.isEmpty { response.headers.append(("Set-Cookie", cookie)) }
    delivered()
    return response
  }

  private func perform(_ action: Action, _ revision: Int) async -> LoopbackResponse {
    if action == .leave {
      presence.withLock { presence in
        // On reload, the next page is delivered before the previous one leaves.
        if !presence.isLoading { (presence.lastSeen, presence.limit) = (.now, limits.reload) }
      }
      // Other open pages request changes again, which shows that they are open.
      await screen.releaseAll()
      return .empty(200)
    }
    presence.withLock { $0 = Presence(limit: limits.silence, wasOpened: true, isLoading: false) }
    switch action {
    case .callGraph: await controller.callGraphAPI()
    case .signOut: await controller.signOut()
    case .deviceInfo: await controller.getDeviceMode()
    case .cancel: await controller.cancelSignIn()
    case .foreground: await controller.appCameToForeground()
    case .leave: break
    case .changes:
      await screen.change(from: revision, atMost: limits.changes)
      return .content(await screen.json.serialized(), mediaType: "application/json")
    }
    return .empty(200)
  }

  private static let forbidden = "Open this page with the address that msauth-app printed; it works once."
}
