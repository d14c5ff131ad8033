internal import MSAuthCore

/// Recognizes the HTTP requests that are redirects to the redirect URI.
package struct RedirectEndpoint: Sendable {
  /// How the browser delivers the response: response mode `query` makes it GET, `form_post` POST.
  package enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
  }

  private let path: String
  private let method: Method

  package init(path: String, method: Method) {
    self.path = path.isEmpty ? "/" : path
    self.method = method
  }

  /// Checks a request's method, path, fetch metadata and form, and decodes its parameters without validating them.
  package func parameters(of request: LoopbackRequest) throws(RequestRejection) -> [(name: String, value: String)] {
    let used = try checkTarget(request)
    try request.checkNavigation()
    try checkForm(request, by: used)
    let parameters = FormEncoding.decode(used == .get ? Array((request.query ?? "").utf8) : request.body)
    // Some providers return an error with another method than a code.
    guard used == method || parameters.contains(where: { $0.name == "error" }) else {
      throw wrongMethod("it is a \(used.rawValue) where the response mode sends \(method.rawValue)")
    }
    return parameters
  }

  /// Whether a request is a navigation with GET, which may get another page of the same sign-in.
  package func isNavigation(_ request: LoopbackRequest) -> Bool {
    request.method == "GET" && (try? request.checkNavigation()) != nil
  }

  /// Whether a rejected request may still be the provider's response that the user waits for: a navigation to the redirect
  /// URI with parameters.
  package func isProviderResponse(_ request: LoopbackRequest) -> Bool {
    let hasParameters = !(request.query ?? "").isEmpty || !request.body.isEmpty
    return request.path == path && hasParameters && (try? request.checkNavigation()) != nil
  }

  private func checkTarget(_ request: LoopbackRequest) throws(RequestRejection) -> Method {
    guard let used = Method(rawValue: request.method) else { throw wrongMethod("no sign-in uses its method") }
    // Browsers request the icon for any page.
    if request.path == "/favicon.ico", path != "/favicon.ico" {
      throw RequestRejection(404, "it requests an icon", deservesPage: false)
    }
    guard request.path == path else { throw RequestRejection(404, "its path isn't the redirect URI's") }
    return used
  }

  private func checkForm(_ request: LoopbackRequest, by used: Method) throws(RequestRejection) {
    guard used == .post else {
      guard request.body.isEmpty else { throw RequestRejection(400, "it is a GET with a body") }
      return
    }
    let types = request.values(of: "content-type")
    let mediaType = types.first?.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
    guard types.count == 1, mediaType == FormEncoding.mediaType else {
      throw RequestRejection(415, "it is a POST without a form")
    }
    guard (request.query ?? "").isEmpty else { throw RequestRejection(400, "it is a form post with a query") }
  }

  private func wrongMethod(_ reason: String) -> RequestRejection {
    RequestRejection(405, reason, allowedMethod: method.rawValue)
  }
}

extension LoopbackRequest {
  /// Checks that the user follows a link or a redirect; pages and browsers send all other requests by themselves.
  func checkNavigation() throws(RequestRejection) {
    // Fetch metadata tells a navigation from a page's image, script, frame or fetch (W3C Fetch Metadata §2). A service
    // worker that passes a navigation on changes its destination; scripts can't set the mode.
    let (mode, destination) = (values(of: "sec-fetch-mode"), values(of: "sec-fetch-dest"))
    guard mode.isEmpty || mode == ["navigate"] else { throw RequestRejection(403, "its sec-fetch-mode isn't navigate") }
    guard destination.isEmpty || destination == ["document"] || destination == ["empty"] && !mode.isEmpty else {
      throw RequestRejection(403, "its sec-fetch-dest isn't document")
    }
    // A page's WebSocket begins with a GET, for which browsers send no fetch metadata (RFC 6455 §4.1).
    guard !headers.contains(where: { $0.name.utf8.starts(with: "sec-websocket-".utf8) }) else {
      throw RequestRejection(403, "it is a WebSocket handshake")
    }
    // A prefetched page would use up the code before the user opens it.
    guard values(of: "sec-purpose").isEmpty else { throw RequestRejection(403, "it is a prefetch") }
  }
}
