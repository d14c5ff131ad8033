internal import Core

/// Why a request to the listener is not a redirect; nothing changes.
package struct RedirectRefusal: Error, Sendable, Equatable {
  /// The status to answer.
  package let status: Int
  /// For a log; contains nothing of the request.
  package let reason: String
  /// The method of a redirect, for the field `Allow`, where the request has another (RFC 9110 §15.5.6).
  package var allowedMethod: String?
  /// Whether a person may see the response; what a browser asks for by itself, such as an icon, needs no page.
  package var deservesPage = true

  init(_ status: Int, reason: String) {
    self.status = status
    self.reason = reason
  }
}

/// The redirect URI's address: which HTTP requests are redirects.
package struct RedirectEndpoint: Sendable {
  /// How the browser delivers the response: response mode `query` makes it GET, `form_post` POST.
  package enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
  }

  private let path: String
  private let method: Method
  private let acceptsErrorByAnyMethod: Bool

  package init(path: String, method: Method, acceptsErrorByAnyMethod: Bool = false) {
    self.path = path.isEmpty ? "/" : path
    self.method = method
    self.acceptsErrorByAnyMethod = acceptsErrorByAnyMethod
  }

  /// Checks method, path, fetch metadata and form of a request, and decodes its parameters without validating them.
  package func parameters(
    of request: LoopbackRequest
  ) throws(RedirectRefusal) -> [(name: String, value: String)] {
    let used = try checkTarget(request)
    try request.checkNavigation()
    try checkForm(request, by: used)
    let parameters: [(name: String, value: String)]
    do {
      parameters = try FormEncoding.decode(used == .get ? Array((request.query ?? "").utf8) : request.body)
    } catch {
      throw RedirectRefusal(400, reason: error.reason)
    }
    guard used == method || acceptsErrorByAnyMethod && parameters.contains(where: { $0.name == "error" }) else {
      throw refusedMethod("\(used.rawValue) where the response mode sends \(method.rawValue)")
    }
    return parameters
  }

  /// Whether a request may get another page of the same sign-in: it is a navigation.
  package func isNavigation(_ request: LoopbackRequest) -> Bool {
    request.method == "GET" && (try? request.checkNavigation()) != nil
  }

  /// Whether a request that was refused is a provider's answer all the same, which a person may be waiting for: a
  /// navigation to the redirect URI with parameters.
  package func isAnswer(_ request: LoopbackRequest) -> Bool {
    let hasParameters = !(request.query ?? "").isEmpty || !request.body.isEmpty
    return request.path == path && hasParameters && (try? request.checkNavigation()) != nil
  }

  private func checkTarget(_ request: LoopbackRequest) throws(RedirectRefusal) -> Method {
    guard let used = Method(rawValue: request.method) else {
      throw refusedMethod("a method that no sign-in uses")
    }
    // Browsers ask for it by themselves, whatever the page.
    if request.path == "/favicon.ico", path != "/favicon.ico" {
      var refusal = RedirectRefusal(404, reason: "a browser's request for an icon")
      refusal.deservesPage = false
      throw refusal
    }
    guard request.path == path else {
      throw RedirectRefusal(404, reason: "another path than the redirect URI's")
    }
    guard used == method || acceptsErrorByAnyMethod else {
      throw refusedMethod("\(used.rawValue) where the response mode sends \(method.rawValue)")
    }
    return used
  }

  private func checkForm(_ request: LoopbackRequest, by used: Method) throws(RedirectRefusal) {
    guard used == .post else {
      guard request.body.isEmpty else {
        throw RedirectRefusal(400, reason: "GET with a body")
      }
      return
    }
    let types = request.values(of: "content-type")
    let mediaType = types.first?.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
    guard types.count == 1, mediaType == FormEncoding.mediaType else {
      throw RedirectRefusal(415, reason: "a POST that is not a form")
    }
    guard (request.query ?? "").isEmpty else {
      throw RedirectRefusal(400, reason: "a form post with a query")
    }
  }

  private func refusedMethod(_ reason: String) -> RedirectRefusal {
    var refusal = RedirectRefusal(405, reason: reason)
    refusal.allowedMethod = method.rawValue
    return refusal
  }
}

extension LoopbackRequest {
  /// Checks that a person follows a link or a redirect: everything else is a page's doing, or the browser's.
  package func checkNavigation() throws(RedirectRefusal) {
    // A page's image, script, frame or fetch is not a person who follows a redirect (W3C Fetch Metadata §2).
    for (name, wanted) in [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")] {
      let values = values(of: name)
      guard values.isEmpty || values == [wanted] else {
        throw RedirectRefusal(403, reason: "\(name) is not \(wanted)")
      }
    }
    // A page's WebSocket begins with a GET, for which browsers send no fetch metadata (RFC 6455 §4.1).
    guard !headers.contains(where: { $0.name.utf8.starts(with: "sec-websocket-".utf8) }) else {
      throw RedirectRefusal(403, reason: "a WebSocket's handshake")
    }
    // A page that is fetched in advance would use up the code before the person opens it.
    guard values(of: "sec-purpose").isEmpty else {
      throw RedirectRefusal(403, reason: "a fetch in advance")
    }
  }
}
