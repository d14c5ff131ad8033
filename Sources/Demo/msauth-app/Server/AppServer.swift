import MSAuthCore
import MSAuthLoopback

/// Serves the page on 127.0.0.1 and performs its actions until the page is closed.
@MainActor
final class AppServer {
  struct Limits: Sendable {
    /// How long to wait for the page to be opened: browsers start slowly, and the user may have to paste the address.
    var opening: Duration = .seconds(300)
    /// How long a request for changes is held.
    var changes: Duration = .seconds(20)
    /// How long to wait for the page's next request: three times `changes`, so that a busy machine isn't mistaken for a
    /// closed browser.
    var silence: Duration = .seconds(60)
    /// How long to wait after a page was closed, which may be a reload.
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
  private var oneTimeLink: OneTimeLink
  private var presence: Presence

  init(_ listener: LoopbackListener, oneTimeLink: OneTimeLink, controller: ViewController, limits: Limits = Limits()) {
    self.listener = listener
    self.rules = PageRules(port: listener.port)
    self.limits = limits
    self.controller = controller
    self.screen = controller.screen
    self.oneTimeLink = oneTimeLink
    self.presence = Presence(limit: limits.opening)
  }

  /// Serves until the page is closed or the task is canceled; returns `false` if the page was never opened.
  func run() async throws -> Bool {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await self.listener.run { request in await self.respond(to: request) }
        return true
      }
      group.addTask { await self.waitUntilClosed() }
      defer { group.cancelAll() }
      return try await group.next() ?? true
    }
  }

  private func waitUntilClosed() async -> Bool {
    while !Task.isCancelled {
      if presence.lastSeen.duration(to: .now) >= presence.limit { return presence.wasOpened }
      try? await Task.sleep(for: limits.pollInterval)
    }
    return true
  }

  private func recordDelivery() { presence = Presence(limit: limits.opening, wasOpened: true) }

  private func respond(to request: LoopbackRequest) async -> LoopbackResponse {
    switch rules.validate(request, oneTimeLink) {
    case .reject(let status): return .text(status, status == 403 ? Self.forbidden : "There is nothing here.")
    case .accept(.open(let secret)): return open(with: secret, request)
    case .accept(.file(let file)):
      if file == .page { recordDelivery() }
      return file.response
    case .accept(.action(let action, let revision)): return await perform(action, revision)
    }
  }

  private func open(with secret: Secret, _ request: LoopbackRequest) -> LoopbackResponse {
    let cookie = oneTimeLink.exchange(secret)
    // A browser that has the cookie may open the link again.
    guard cookie != nil || oneTimeLink.admits(request.values(of: "cookie")) else {
      return .text(403, Self.forbidden)
    }
    var response = LoopbackResponse.seeOther("/")
    if let cookie { response.headers.append(("Set-Cookie", cookie)) }
    recordDelivery()
    return response
  }

  private func perform(_ action: Action, _ revision: Int) async -> LoopbackResponse {
    if action != .leave { presence = Presence(limit: limits.silence, wasOpened: true, isLoading: false) }
    switch action {
    case .callGraph: controller.callGraphAPI()
    case .signOut: controller.signOut()
    case .deviceInfo: controller.getDeviceMode()
    case .cancel: controller.cancelSignIn()
    case .foreground: controller.appCameToForeground()
    case .leave:
      // On reload, the next page is delivered before the previous one leaves.
      if !presence.isLoading { (presence.lastSeen, presence.limit) = (.now, limits.reload) }
      // Other open pages request changes again, which shows that they are open.
      screen.releaseAll()
    case .changes:
      await screen.change(from: revision, atMost: limits.changes)
      return .content(screen.json.serialized(), mediaType: "application/json")
    }
    return .empty(200)
  }

  private static let forbidden = "Open this page with the address that msauth-app printed; it works once."
}
