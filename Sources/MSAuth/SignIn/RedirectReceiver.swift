import Core
import Desktop
import LibCrypto
import Loopback
import OAuth
import Pages

/// Waits on a loopback listener for the browser's one redirect, and shows the browser the outcome.
///
/// The redirect's request is not answered until ``show(_:)`` has the outcome; then the browser is redirected to a clean
/// address, so that no code stays in the address bar or the history.
final class RedirectReceiver<Response: Sendable>: Sendable {
  /// Validates a redirect's parameters; throws when they are not for this flow, and nothing changes then.
  typealias Validate = @Sendable ([(name: String, value: String)]) throws(Refusal) -> Redirect<Response>

  /// How the wait for the redirect ended.
  private enum Ending: Sendable {
    case redirected(Response)
    /// A person pasted it; no browser waits for a page.
    case pasted(Response)
    case failed(AuthenticationError)
  }

  /// How long the browser may take to fetch the last page after it was redirected there: it does so at once, unless the
  /// machine is busy or the tab was closed.
  private static var pageTimeout: Duration { .seconds(10) }

  /// The redirect URI to send to the provider.
  let redirectURI: String
  private let target: RedirectTarget
  private let listener: any RedirectListener
  private let endpoint: RedirectEndpoint
  private let pages: OutcomePages
  private let validate: Validate
  private let log: @Sendable (String) -> Void
  private let onIgnored: @Sendable (String) -> Void
  private let onRefused: @Sendable (String) -> Void

  private let link: OneTimeLink
  private let ending = OneShot<Ending>()
  private let page: OutcomePage

  /// Takes over a listener; from its binding to the end the port is ours.
  init(
    _ target: RedirectTarget,
    on listener: any RedirectListener,
    responseMode: ResponseMode,
    pages: OutcomePages,
    random: any RandomSource,
    acceptsErrorByAnyMethod: Bool = false,
    log: @escaping @Sendable (String) -> Void,
    onIgnored: @escaping @Sendable (String) -> Void,
    onRefused: @escaping @Sendable (String) -> Void,
    validate: @escaping Validate
  ) throws {
    self.target = target
    self.listener = listener
    self.redirectURI = target.uri(port: listener.port)
    self.endpoint = RedirectEndpoint(
      path: target.path,
      method: responseMode == .formPost ? .post : .get,
      acceptsErrorByAnyMethod: acceptsErrorByAnyMethod
    )
    self.link = try OneTimeLink(on: listener, random: random)
    self.page = OutcomePage(path: "/result/" + Base64URL.encode(try random.bytes(16)))
    self.pages = pages
    self.log = log
    self.onIgnored = onIgnored
    self.onRefused = onRefused
    self.validate = validate
  }

  deinit { listener.close() }

  /// Whether a browser has asked for the one-time link.
  var isLinkOpened: Bool { link.isOpened }

  /// The port that is listened on.
  var port: UInt16 { listener.port }

  /// Hides an address that contains secrets behind a short one of ours, which works until the response has come.
  ///
  /// Every user can read a program's arguments (`/proc/<pid>/cmdline`), and others may see the terminal; our response
  /// goes to this user's browser alone. A person may open the link twice, or reload it, and a browser may fetch it more
  /// than once; so it works again, but for where the kernel does not say who connects: there the first one counts, and
  /// nobody else learns the address unnoticed.
  func oneTimeLink(to address: String) -> String {
    link.target.resume(address)
    return link.url
  }

  /// Listens while the body runs, then closes.
  func listening<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    defer { listener.close() }
    return try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { [listener, log, onIgnored] in
        let onEvent: @Sendable (LoopbackListener.Event) -> Void = { event in
          event.isAboutListener ? log(event.description) : onIgnored(event.description)
        }
        try await listener.run(
          onEvent: onEvent,
          refusal: { [weak self] status, request in self?.refusal(status, of: request) },
          { [weak self] request in await self?.respond(to: request) ?? .refusal(503, "The sign-in is over.") }
        )
        return nil
      }
      group.addTask { try await body() }
      defer { group.cancelAll() }
      // The listener ends after the body, or because of it; by itself only when the system fails.
      if let value = try await group.next() ?? nil { return value }
      try Task.checkCancellation()
      throw AuthenticationError(
        .listenerFailed,
        "the listener for the redirect ended by itself",
        reason: "listener_ended"
      )
    }
  }

  /// Ends the wait without a redirect.
  func end(_ error: AuthenticationError) { ending.resume(.failed(error)) }

  /// Waits for the redirect.
  func wait(timeout: Duration) async throws -> Response {
    do {
      switch try await withTimeout(timeout, { [ending] in try await ending.value() }) {
      case .redirected(let response), .pasted(let response): return response
      case .failed(let error): throw error
      }
    } catch let error as Failure where error == .timeout {
      throw AuthenticationError(
        .timedOut,
        "nobody answered in the browser within \(timeout.words)",
        reason: .noRedirect,
        hint: .longerTimeout
      )
    }
  }

  /// Takes a redirect that the person copied from the browser's address bar, where the browser could not come here.
  ///
  /// It passes what a redirect by the browser passes, but for what only a request can have.
  func take(pasted address: String) throws(Refusal) {
    switch try validate(target.parameters(of: address, port: listener.port)) {
    // The browser may have been faster.
    case .response(let response): ending.resume(.pasted(response))
    case .provisional: break
    }
  }

  /// Shows the browser the outcome, and waits until it has fetched the page.
  func show(_ outcome: Outcome) async {
    page.outcome.resume(outcome)
    if case .pasted = ending.current { return }
    try? await withTimeout(Self.pageTimeout) { [page] in try await page.fetched.value() }
  }

  private func respond(to request: LoopbackRequest) async -> LoopbackResponse {
    if endpoint.isNavigation(request) {
      if request.path == page.path, let outcome = page.outcome.current {
        defer { page.fetched.resume() }
        return answer(outcome, to: request)
      }
      if request.path == link.path, ending.current == nil {
        return link.open().map { .redirect(to: $0) } ?? answer(.alreadyAnswered, to: request, status: 410)
      }
    }
    do throws(RedirectRefusal) {
      return await respond(to: request, with: try endpoint.parameters(of: request))
    } catch {
      endpoint.isAnswer(request) ? onRefused(error.reason) : onIgnored(error.reason)
      guard error.deservesPage else { return .empty(error.status) }
      var response = refusal(error.status, of: request)
      if let method = error.allowedMethod { response.headers.append(("Allow", method)) }
      return response
    }
  }

  private func respond(
    to request: LoopbackRequest,
    with parameters: [(name: String, value: String)]
  ) async -> LoopbackResponse {
    do throws(Refusal) {
      switch try validate(parameters) {
      case .response(let response):
        guard ending.resume(.redirected(response)) else { return answer(.alreadyAnswered, to: request, status: 409) }
      case .provisional(let outcome):
        return answer(outcome, to: request)
      }
    } catch {
      let isAnswer = parameters.contains { ["state", "code", "error"].contains($0.name) }
      isAnswer ? onRefused(error.reason) : onIgnored(error.reason)
      return answer(.refused(.otherSignIn), to: request, status: 400)
    }
    guard (try? await page.outcome.value()) != nil else {
      return answer(.refused(.interrupted), to: request, status: 503)
    }
    return .seeOther(page.path)
  }

  // There is no request where one is refused before it is read.
  private func answer(_ outcome: Outcome, to request: LoopbackRequest?, status: Int = 200) -> LoopbackResponse {
    let page = pages.page(outcome, acceptLanguage: request?.values(of: "accept-language").first)
    return .page(html: page.html, styleSource: page.styleSource, status: status)
  }

  private func refusal(_ status: Int, of request: LoopbackRequest?) -> LoopbackResponse {
    let refusal: Outcome.Refusal =
      switch status {
      case 403 where request == nil: .otherUser
      case 404: .nothingHere
      case 500: .interrupted
      case 503: .busy
      default: .notUnderstood
      }
    return answer(.refused(refusal), to: request, status: status)
  }
}

/// What a valid redirect is.
enum Redirect<Response: Sendable>: Sendable {
  /// The response: it ends the wait.
  case response(Response)
  /// Perhaps the end, perhaps not: the browser is shown the outcome, and the wait goes on.
  case provisional(Outcome)
}

/// A path of ours that redirects to the provider's page.
struct OneTimeLink: Sendable {
  let path: String
  let url: String
  private let isReusable: Bool
  let target = OneShot<String>()
  private let opened = OneShot<Void>()
  var isOpened: Bool { opened.current != nil }

  init(on listener: any RedirectListener, random: any RandomSource) throws {
    path = "/go/" + Base64URL.encode(try random.bytes(16))
    url = "http://\(listener.host.uriHost):\(listener.port)\(path)"
    isReusable = listener.recognisesUsers
  }

  /// The address behind it; nil when there is none yet, or it may not be opened again.
  func open() -> String? {
    guard let address = target.current else { return nil }
    let isFirst = opened.resume(())
    return isFirst || isReusable ? address : nil
  }
}

/// The last page, at a path that only the redirected browser learns: other users of this machine may ask the listener
/// too, and must not learn who signed in.
private struct OutcomePage: Sendable {
  let path: String
  let outcome = OneShot<Outcome>()
  let fetched = OneShot<Void>()
}
