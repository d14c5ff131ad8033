import MSAuthCore
import MSAuthLoopback

/// Validates requests for the page, without side effects.
struct PageRules: Sendable {
  enum Decision: Sendable, Equatable {
    case accept(Route)
    case reject(Int)
  }

  /// Host and port as the browser writes them.
  let authority: String

  init(port: UInt16) { authority = "127.0.0.1:\(port)" }

  /// Checks the sender before the target, so that other senders learn nothing about the paths.
  func validate(_ request: LoopbackRequest, _ oneTimeLink: OneTimeLink) -> Decision {
    // After DNS rebinding, a browser sends the rebound name.
    guard request.host == authority else { return .reject(403) }
    if let status = rejectionOfSender(request) { return .reject(status) }
    if request.method == "GET", request.path.hasPrefix(OneTimeLink.pathPrefix) {
      return .accept(.open(Secret(String(request.path.dropFirst(OneTimeLink.pathPrefix.count)))))
    }
    guard oneTimeLink.admits(request.values(of: "cookie")) else { return .reject(403) }
    guard (request.query ?? "").isEmpty else { return .reject(400) }
    guard request.method == "GET" else { return action(request) }
    return PageFile(rawValue: request.path).map { .accept(.file($0)) } ?? .reject(404)
  }

  private func action(_ request: LoopbackRequest) -> Decision {
    guard request.path.hasPrefix("/"), let action = Action(rawValue: String(request.path.dropFirst())) else {
      return .reject(404)
    }
    // Another origin can't send this media type without a preflight (W3C Fetch, CORS-safelisted headers).
    guard request.values(of: "content-type") == ["application/json"] else { return .reject(415) }
    guard let revision = (try? JSONValue(parsing: request.body))?["revision"]?.integer else { return .reject(400) }
    return .accept(.action(action, revision: Int(revision)))
  }

  private func rejectionOfSender(_ request: LoopbackRequest) -> Int? {
    let isPost = request.method == "POST"
    let origins = request.values(of: "origin")
    let sites = request.values(of: "sec-fetch-site")
    // A browser sends it with every POST, and no page can choose it (RFC 6454 §7.3).
    guard origins == ["http://\(authority)"] || origins.isEmpty && !isPost else { return 403 }
    // `none` is the user, or a program such as xdg-open. `same-site` is another port of this machine, which shares the
    // cookie (W3C Fetch Metadata §2.4).
    guard sites.isEmpty || sites == ["same-origin"] || sites == ["none"] && !isPost else { return 403 }
    // Prefetching would use up the link before the user opens it.
    guard request.values(of: "sec-purpose").isEmpty else { return 403 }
    return isPost || request.method == "GET" ? nil : 405
  }
}
