import MSAuthDesktop
import MSAuthLoopback
import MSAuthPages
import Synchronization

/// Waits for the browser's one redirect, then redirects it to a clean address, so that no code stays in the history.
final class RedirectReceiver: Sendable {
  typealias Fields = [(name: String, value: String)]
  /// Throws if the fields aren't for this flow; `nil` ends the wait, and an outcome is shown while the wait continues.
  typealias Validate = @Sendable (Fields) throws(Rejection) -> PageOutcome?

  private enum Ending: Sendable {
    case redirected(Fields)
    /// No browser waits for a page.
    case pasted(Fields)
    case failed(AuthenticationError)
  }

  let request: RedirectRequest
  let redirectURI: String
  private let target: RedirectTarget
  private let listener: LoopbackListener
  private let endpoint: RedirectEndpoint
  private let pages: OutcomePages
  private let validate: Validate
  private let context: Context
  private let report: @Sendable (BrowserEvent) -> Void

  private let linkPath: String
  private let address = OneShot<String>()
  let linkOpened = OneShot<Void>()
  private let ending = OneShot<Ending>()
  /// Sent only to the redirected browser, so that other local users can't see who signed in.
  private let pagePath: String
  private let outcome = OneShot<PageOutcome>()
  /// The latest response that wasn't used: it may have been the provider's.
  private let unusedResponse = Mutex<String?>(nil)
  private let pageFetched = OneShot<Void>()
  /// One per tab that waits for the outcome; set when that tab is closed.
  private let waitingTabs = Mutex<[OneShot<Void>]>([])
  private let serving = Mutex<Task<Void, Never>?>(nil)

  /// Binds the port of the redirect URI.
  init(
    _ request: RedirectRequest,
    _ context: Context,
    report: @escaping @Sendable (BrowserEvent) -> Void,
    validate: @escaping Validate
  ) async throws(AuthenticationError) {
    try request.timeout.checkTimeout()
    (self.request, self.context, self.report, self.validate) = (request, context, report, validate)
    target = try RedirectTarget(request.redirectURI)
    let method: RedirectEndpoint.Method = request.responseMode == .formPost ? .post : .get
    endpoint = RedirectEndpoint(path: target.path, method: method)
    pages = await context.configuration.pages(in: context.dependencies.templateDirectories)
    listener = try Self.listener(for: target, in: context.dependencies.session)
    redirectURI = target.uri(port: listener.port)
    linkPath = "/go/" + Base64URL.encode(randomBytes(16))
    pagePath = "/result/" + Base64URL.encode(randomBytes(16))
  }

  deinit { listener.close() }

  private static func listener(for target: RedirectTarget, in session: DesktopSession) throws(AuthenticationError)
    -> LoopbackListener
  {
    let peerCheck = PeerCheck.system(isWSL: session.isWSL)
    // The user forwards this port by hand, so it stays the same; it may be taken.
    if target.port == 0, let port = session.preferredPort,
      let stable = try? LoopbackListener(target.host, port: port, peerCheck: peerCheck)
    {
      return stable
    }
    return try LoopbackListener(target.host, port: target.port, peerCheck: peerCheck)
  }

  var isLinkOpened: Bool { linkOpened.current != nil }

  var port: UInt16 { listener.port }

  /// Hides an address behind a link: every local user can read a program's arguments (`/proc/<pid>/cmdline`).
  func oneTimeLink(to address: String) throws(Rejection) -> String {
    guard self.address.resume(address) else { throw Rejection("was opened already") }
    return "http://\(listener.uriHost):\(port)\(linkPath)"
  }

  /// Begins to listen; ``end(showing:)`` stops.
  func start() {
    let serving = Task { [listener, configuration = context.configuration, report, ending] in
      let onEvent: @Sendable (LoopbackListener.Event) -> Void = { event in
        event.isAboutListener
          ? configuration.log(.info, "\(event.description)") : report(.ignored(reason: event.description))
      }
      let message = "the listener for the redirect stopped unexpectedly"
      var failure = AuthenticationError(.listenerFailed, message, reason: "listener_ended")
      do throws(AuthenticationError) {
        try await listener.run(
          onEvent: onEvent,
          rejection: { [weak self] status, request in self?.rejection(status, of: request) },
          { [weak self] request in await self?.respond(to: request) ?? .text(503, "This page isn't awaited anymore.") }
        )
      } catch {
        failure = error
      }
      ending.resume(.failed(failure))
    }
    self.serving.withLock { $0 = serving }
  }

  func fail(_ error: AuthenticationError) { ending.resume(.failed(error)) }

  /// Waits for the redirect; `hint` is what the user can do if none arrives in time.
  func wait(hint: Hint) async throws(AuthenticationError) -> [RedirectField] {
    do throws(AuthenticationError) {
      switch try await withTimeout(request.timeout, { [ending] in try await ending.value() }) {
      case .redirected(let fields), .pasted(let fields): return fields.map(RedirectField.init)
      case .failed(let error): throw error
      }
    } catch {
      guard error == .timeout else { throw error }
      let unused = unusedResponse.withLock { $0.map { "; \($0)" } } ?? ""
      let message = "no response from the browser within \(request.timeout.words)\(unused)"
      throw AuthenticationError(.timedOut, message, reason: .noRedirect, hint: hint)
    }
  }

  /// Takes a redirect that the user copied from the address bar of a browser that can't reach this listener.
  func take(pasted address: String) throws(Rejection) {
    let fields = try target.parameters(of: address, port: listener.port)
    // Has no effect if the browser's redirect was faster.
    if try validate(fields) == nil { ending.resume(.pasted(fields)) }
  }

  /// Shows the outcome in the browser if a tab waits for it, then frees the port.
  func end(showing outcome: PageOutcome?) async {
    if let outcome, case .redirected = ending.current, !Task.isCancelled {
      self.outcome.resume(outcome)
      try? await withTimeout(context.dependencies.pageTimeout) { [pageFetched, tabs = waitingTabs.withLock(\.self)] in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await pageFetched.value() }
          // Closed tabs fetch no page.
          group.addTask { for tab in tabs { try await tab.value() } }
          try await group.next()
          group.cancelAll()
        }
      }
    }
    let serving = serving.withLock { $0 }
    listener.close()
    serving?.cancel()
    await serving?.value
  }

  private func respond(to request: LoopbackRequest) async -> LoopbackResponse {
    if endpoint.isNavigation(request) {
      if request.path == pagePath, let outcome = outcome.current {
        defer { pageFetched.resume() }
        return page(outcome, to: request)
      }
      if request.path == linkPath, ending.current == nil, let address = address.current {
        let isFirst = linkOpened.resume(())
        return isFirst || listener.peerCheck.recognizesUsers
          ? .redirect(to: address) : page(.alreadyUsed, to: request, status: 410)
      }
    }
    do throws(RequestRejection) {
      return await respond(to: request, with: try endpoint.parameters(of: request))
    } catch {
      let isResponse = endpoint.isProviderResponse(request)
      report(isResponse ? .refused(reason: error.reason) : .ignored(reason: error.reason))
      if isResponse { unusedResponse.withLock { $0 = "a response couldn't be used: \(error.reason)" } }
      guard error.deservesPage else { return .empty(error.status) }
      var response = rejection(error.status, of: request)
      if let method = error.allowedMethod { response.headers.append(("Allow", method)) }
      return response
    }
  }

  private func respond(to request: LoopbackRequest, with fields: Fields) async -> LoopbackResponse {
    do throws(Rejection) {
      if let provisional = try validate(fields) { return page(provisional, to: request) }
      let isAccepted = waitingTabs.withLock { tabs in
        let isAccepted = ending.resume(.redirected(fields)) || isRepeated(fields)
        if isAccepted { tabs.append(request.disconnection) }
        return isAccepted
      }
      guard isAccepted else { return page(.alreadyUsed, to: request, status: 409) }
    } catch {
      let isResponse = fields.contains { ["state", "code", "error"].contains($0.name) }
      let reason = error.reason + unverifiedError(in: fields)
      report(isResponse ? .refused(reason: reason) : .ignored(reason: reason))
      return page(.rejected(.otherSignIn), to: request, status: 400)
    }
    guard (try? await outcome.value()) != nil else {
      return page(.rejected(.interrupted), to: request, status: 503)
    }
    return .seeOther(pagePath)
  }

  /// Notes the error of a response without `state`: some providers omit it, and nothing else follows.
  private func unverifiedError(in fields: Fields) -> String {
    guard !fields.contains(where: { $0.name == "state" && !$0.value.isEmpty }),
      let error = ProviderError(redirect: fields)
    else {
      return ""
    }
    let words = "the unverified error \"\(error.message.printable(limit: 300))\""
    unusedResponse.withLock { $0 = "a response without state, which anyone may have sent, had \(words)" }
    return "; it has \(words)"
  }

  /// Whether the redirect arrived before, as after a reload: it gets the outcome too.
  private func isRepeated(_ fields: Fields) -> Bool {
    guard case .redirected(let first) = ending.current else { return false }
    return first.elementsEqual(fields) { $0.name.isIdentical(to: $1.name) && $0.value.isIdentical(to: $1.value) }
  }

  /// A page; `request` is `nil` if the peer was rejected before its request was read.
  private func page(_ outcome: PageOutcome, to request: LoopbackRequest?, status: Int = 200) -> LoopbackResponse {
    let page = pages.page(outcome, acceptLanguage: request?.values(of: "accept-language").first)
    return .page(html: page.html, styleSource: page.styleSource, status: status)
  }

  private func rejection(_ status: Int, of request: LoopbackRequest?) -> LoopbackResponse {
    let rejected: PageOutcome.RejectedRequest =
      switch status {
      case 403 where request == nil: .otherUser
      case 404: .nothingHere
      case 500: .interrupted
      case 503: .busy
      default: .notUnderstood
      }
    return page(.rejected(rejected), to: request, status: status)
  }
}
