import Loopback
import Core

/// Validates requests for the page; it has no side effects.
struct PageRules: Sendable {
  /// The outcome of validation.
  enum Outcome: Sendable, Equatable {
    case answer(Route)
    /// Refused with the status. The reason is for the log and contains nothing of the request.
    case refuse(Int, reason: String)
  }

  /// Host and port as the browser writes them.
  let authority: String

  /// Makes the rules of a listener on 127.0.0.1.
  init(port: UInt16) { authority = "127.0.0.1:\(port)" }

  /// The origin of the page.
  var origin: String { "http://\(authority)" }

  /// Validates a request: first the sender, then the target, so that other senders learn nothing about the paths.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - oneTimeLink: The link, which knows the page's cookie.
  /// - Returns: The request's route, or the refusal.
  func validate(_ request: LoopbackRequest, _ oneTimeLink: OneTimeLink) -> Outcome {
    // A name that was rebound to 127.0.0.1 is sent as that name.
    guard request.host == authority else { return .refuse(403, reason: "a foreign Host header") }
    if let refusal = checkSender(request) { return refusal }
    if request.method == "GET", request.path.hasPrefix(OneTimeLink.openingPrefix) {
      return .answer(.open(Secret(String(request.path.dropFirst(OneTimeLink.openingPrefix.count)))))
    }
    guard oneTimeLink.admits(request.values(of: "cookie")) else { return .refuse(403, reason: "no cookie of ours") }
    guard (request.query ?? "").isEmpty else { return .refuse(400, reason: "a query") }
    switch request.method {
    case "GET":
      guard let file = PageFile(rawValue: request.path) else { return .refuse(404, reason: "an unknown path") }
      return .answer(.file(file))
    default: return action(request)
    }
  }

  private func action(_ request: LoopbackRequest) -> Outcome {
    guard request.path.hasPrefix("/"), let action = Action(rawValue: String(request.path.dropFirst())) else {
      return .refuse(404, reason: "an unknown path")
    }
    // Another origin's page cannot send this media type without asking first (W3C Fetch, CORS-safelisted headers).
    guard request.values(of: "content-type") == ["application/json"] else {
      return .refuse(415, reason: "an action that is not JSON")
    }
    guard let message = PageMessage(request.body) else { return .refuse(400, reason: "a malformed message") }
    return .answer(.action(action, message))
  }

  private func checkSender(_ request: LoopbackRequest) -> Outcome? {
    let isPost = request.method == "POST"
    let origins = request.values(of: "origin")
    let sites = request.values(of: "sec-fetch-site")
    // RFC 6454 §7.3: a browser sends it with every POST, and no page can choose it.
    guard origins == [origin] || origins.isEmpty && !isPost else { return .refuse(403, reason: "a foreign origin") }
    // `none`: the person, or a program such as xdg-open. `same-site` is another port of this machine, which shares our
    // cookie and nothing else (W3C Fetch Metadata §2.4).
    guard sites.isEmpty || sites == ["same-origin"] || sites == ["none"] && !isPost else {
      return .refuse(403, reason: "a foreign site")
    }
    // Prefetching would consume the link before the person opens it.
    guard request.values(of: "sec-purpose").isEmpty else { return .refuse(403, reason: "a fetch in advance") }
    guard isPost || request.method == "GET" else { return .refuse(405, reason: "a method that the page does not use") }
    return nil
  }
}
