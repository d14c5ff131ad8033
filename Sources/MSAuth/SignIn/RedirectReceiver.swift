import LibCrypto
import Loopback
import OAuth
import Pages
import Core
import Synchronization

/// Waits on a loopback listener for the browser's one redirect, and shows the browser how it ended.
///
/// The redirect's request is kept waiting until ``show(_:)`` knows the true outcome; then it is sent on to a clean
/// address, so that no code stays in the address bar or the history.
final class RedirectReceiver<Answer: Sendable>: Sendable {
  /// What a redirect's parameters mean.
  enum Judgement: Sendable {
    /// The answer that was waited for.
    case accepted(Answer)
    /// Not for this flow; nothing changes.
    case ignored(reason: String)
  }

  /// How long the browser may take to fetch the last page after it was sent there: it does so at once, unless
  /// the machine is busy or the tab was closed.
  private static var linger: Duration { .seconds(10) }

  /// The redirect URI to send to the provider.
  let redirectURI: String
  private let listener: LoopbackListener
  private let endpoint: RedirectEndpoint
  private let pages: OutcomePages
  private let judge: @Sendable ([(name: String, value: String)]) -> Judgement
  private let onIgnored: @Sendable (String) -> Void
  private let outcomePath: String
  private let doorPath: String
  private let door = Mutex<String?>(nil)
  private let answer = OneShot<Answer>()
  private let outcome = OneShot<Page>()
  private let shown = OneShot<Void>()

  /// Binds the listener; from here to the end the port is ours.
  init(
    _ target: RedirectTarget,
    responseMode: ResponseMode,
    pages: OutcomePages,
    random: any RandomSource,
    onIgnored: @escaping @Sendable (String) -> Void,
    judge: @escaping @Sendable ([(name: String, value: String)]) -> Judgement
  ) throws {
    do {
      self.listener = try LoopbackListener.bind(target.host, port: target.port)
    } catch {
      throw AuthenticationError(error)
    }
    self.redirectURI = target.uri(port: listener.port)
    self.endpoint = RedirectEndpoint(
      path: target.path,
      responseMode: responseMode == .formPost ? .formPost : .query,
      allowedHosts: listener.allowedHosts
    )
    // Other users of this machine may ask the listener too: only who was sent there learns who signed in.
    self.outcomePath = "/result/" + Base64URL.encode(try random.bytes(16))
    self.doorPath = "/go/" + Base64URL.encode(try random.bytes(16))
    self.pages = pages
    self.onIgnored = onIgnored
    self.judge = judge
  }

  deinit { listener.close() }

  /// The port that is listened on.
  var port: UInt16 { listener.port }

  /// Puts an address that holds a token behind a short one of ours, which works until the answer is there.
  ///
  /// A program's arguments and the terminal would show it to others; our answer to the browser does not.
  ///
  /// - Parameter address: The provider's page, with its parameters.
  /// - Returns: The address to open instead.
  func hidden(_ address: String) -> String {
    door.withLock { $0 = address }
    return "http://\(listener.host.uriHost):\(port)\(doorPath)"
  }

  /// Listens while the body runs, then closes.
  func listening<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    defer { listener.close() }
    return try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { [listener] in
        try await listener.run { [weak self] request in
          await self?.respond(to: request) ?? .refusal(503, "The sign-in is over.")
        }
        return nil
      }
      group.addTask { try await body() }
      defer { group.cancelAll() }
      // The listener ends after the body, or because of it; by itself only when the system fails it.
      if let value = try await group.next() ?? nil { return value }
      try Task.checkCancellation()
      throw AuthenticationError(
        .listenerFailed,
        "the listener for the redirect ended by itself",
        reason: "listener_ended"
      )
    }
  }

  /// Waits for the redirect.
  ///
  /// - Parameter seconds: How long.
  /// - Returns: The answer that the redirect brought.
  /// - Throws: ``AuthenticationError`` with ``AuthenticationError/Code/timedOut``.
  func wait(seconds: Double) async throws -> Answer {
    do {
      return try await withTimeout(.seconds(seconds)) { [answer] in try await answer.value() }
    } catch is TimeoutError {
      throw AuthenticationError(
        .timedOut,
        "nobody answered in the browser within \(Int(seconds.rounded(.up))) s",
        reason: "no_redirect",
        remedy: .allowMoreTime
      )
    }
  }

  /// Shows the browser how it ended, and waits until it has fetched the page.
  func show(_ page: Page) async {
    outcome.resume(page)
    try? await withTimeout(Self.linger) { [shown] in try await shown.value() }
  }

  private func respond(to request: LoopbackRequest) async -> LoopbackResponse {
    if request.path == outcomePath, let page = outcome.current, endpoint.admits(request) {
      defer { shown.resume() }
      return .page(html: page.html, styleSource: page.styleSource)
    }
    if request.path == doorPath, endpoint.admits(request), let address = door.withLock({ $0 }), answer.current == nil {
      return .departure(to: address)
    }
    switch endpoint.judge(request) {
    case .refused(let response, let reason):
      onIgnored(reason)
      return response
    case .parameters(let parameters):
      switch judge(parameters) {
      case .ignored(let reason):
        onIgnored(reason)
        return .refusal(400, "This request does not belong to the sign-in that is waiting here.")
      case .accepted(let accepted):
        guard answer.resume(accepted) else {
          let page = pages.alreadyAnswered()
          return .page(html: page.html, styleSource: page.styleSource, status: 409)
        }
        guard (try? await outcome.value()) != nil else { return .refusal(503, "The sign-in was interrupted.") }
        return .seeOther(outcomePath)
      }
    }
  }
}
