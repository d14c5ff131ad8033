internal import Core

/// A request to the listener that is not a redirect's; nothing changes.
package struct RedirectRefusal: Error {
  /// What the browser gets.
  package let response: LoopbackResponse
  /// For a log; contains nothing of the request.
  package let reason: String

  init(_ status: Int, _ text: String, reason: String) {
    self.init(.refusal(status, text), reason: reason)
  }

  init(_ response: LoopbackResponse, reason: String) {
    self.response = response
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

  /// - Parameters:
  ///   - path: The redirect URI's path as registered; an empty one means `/`, as browsers ask for it.
  ///   - method: The only method that is accepted.
  ///   - acceptsErrorByAnyMethod: Whether parameters with an `error` are accepted by the other method too: a provider may
  ///     answer an error in the query although it was asked for a form.
  package init(path: String, method: Method, acceptsErrorByAnyMethod: Bool = false) {
    self.path = path.isEmpty ? "/" : path
    self.method = method
    self.acceptsErrorByAnyMethod = acceptsErrorByAnyMethod
  }

  /// Checks method, path, fetch metadata and form of a request, and decodes its parameters without validating them.
  ///
  /// - Returns: Names and values in their order, repeated ones too.
  package func parameters(
    of request: LoopbackRequest
  ) throws(RedirectRefusal) -> [(name: String, value: String)] {
    let used = try checkTarget(request)
    try checkNavigation(request)
    try checkForm(request, by: used)
    let parameters: [(name: String, value: String)]
    do {
      parameters = try FormEncoding.decode(used == .get ? Array((request.query ?? "").utf8) : request.body)
    } catch {
      throw RedirectRefusal(400, "The parameters are malformed.", reason: error.description)
    }
    guard used == method || acceptsErrorByAnyMethod && parameters.contains(where: { $0.name == "error" }) else {
      throw refusedMethod("\(used.rawValue) where the response mode sends \(method.rawValue)")
    }
    return parameters
  }

  /// Whether a request may get another page of the same sign-in: it is a navigation.
  package func isNavigation(_ request: LoopbackRequest) -> Bool {
    request.method == "GET" && (try? checkNavigation(request)) != nil
  }

  private func checkTarget(_ request: LoopbackRequest) throws(RedirectRefusal) -> Method {
    guard let used = Method(rawValue: request.method) else {
      throw refusedMethod("a method that no sign-in uses")
    }
    // Browsers ask for it by themselves, whatever the page.
    if request.path == "/favicon.ico", path != "/favicon.ico" {
      throw RedirectRefusal(.empty(404), reason: "a browser's request for an icon")
    }
    guard request.path == path else {
      throw RedirectRefusal(404, "Nothing is here.", reason: "another path than the redirect URI's")
    }
    guard used == method || acceptsErrorByAnyMethod else {
      throw refusedMethod("\(used.rawValue) where the response mode sends \(method.rawValue)")
    }
    return used
  }

  private func checkNavigation(_ request: LoopbackRequest) throws(RedirectRefusal) {
    let text = "Only a browser's own navigation may come here."
    // A page's image, script, frame or fetch is not a person who follows a redirect (W3C Fetch Metadata §2).
    for (name, wanted) in [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")] {
      let values = request.values(of: name)
      guard values.isEmpty || values == [wanted] else {
        throw RedirectRefusal(403, text, reason: "\(name) is not \(wanted)")
      }
    }
    // A page that is fetched in advance would use up the code before the person opens it.
    guard request.values(of: "sec-purpose").isEmpty else {
      throw RedirectRefusal(403, text, reason: "a fetch in advance")
    }
  }

  private func checkForm(_ request: LoopbackRequest, by used: Method) throws(RedirectRefusal) {
    guard used == .post else {
      guard request.body.isEmpty else {
        throw RedirectRefusal(400, "A body has no place here.", reason: "GET with a body")
      }
      return
    }
    let types = request.values(of: "content-type")
    let mediaType = types.first?.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
    guard types.count == 1, mediaType == FormEncoding.mediaType else {
      throw RedirectRefusal(415, "A form is expected here.", reason: "a POST that is not a form")
    }
    guard (request.query ?? "").isEmpty else {
      throw RedirectRefusal(400, "A query has no place here.", reason: "a form post with a query")
    }
  }

  private func refusedMethod(_ reason: String) -> RedirectRefusal {
    var response = LoopbackResponse.refusal(405, "This address takes \(method.rawValue) requests.")
    response.headers.append(("Allow", method.rawValue))
    return RedirectRefusal(response, reason: reason)
  }
}
