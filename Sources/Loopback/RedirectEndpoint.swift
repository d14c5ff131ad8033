internal import Core

/// What a request to the redirect URI turned out to be.
package enum RedirectVerdict: Sendable {
  /// The parameters of a well-formed response; whether it is ours, its state tells.
  case parameters([(name: String, value: String)])
  /// Not a response; answer this and go on waiting. The reason is for a log and has nothing of the request in it.
  case refused(LoopbackResponse, reason: String)
}

/// The redirect URI's address: what may be sent there, and in which form.
package struct RedirectEndpoint: Sendable {
  /// How the provider hands the response over (OAuth 2.0 Multiple Response Types §2.1, Form Post Response Mode).
  package enum ResponseMode: String, Sendable, Equatable {
    case query
    case formPost = "form_post"
  }

  package var path: String
  package var responseMode: ResponseMode
  package var allowedHosts: Set<String>
  /// The most parameters that a response may have.
  package var maximumParameters: Int

  /// Describes the endpoint.
  ///
  /// - Parameters:
  ///   - path: The redirect URI's path as registered. None means `/`, as browsers ask for it.
  ///   - responseMode: The one way in which responses are taken.
  ///   - allowedHosts: The listener's `Host` values.
  ///   - limits: The bound on parameters.
  package init(path: String, responseMode: ResponseMode, allowedHosts: Set<String>, limits: Limits = Limits()) {
    self.path = path.isEmpty ? "/" : path
    self.responseMode = responseMode
    self.allowedHosts = allowedHosts
    self.maximumParameters = limits.parameters
  }

  /// Judges a request without changing anything: method, path, host, fetch metadata, form, parameters.
  package func judge(_ request: LoopbackRequest) -> RedirectVerdict {
    if let refusal = refusalOfPlace(request) ?? refusalOfSender(request) ?? refusalOfForm(request) { return refusal }
    let encoded = responseMode == .query ? Array((request.query ?? "").utf8) : request.body
    let parameters: [(name: String, value: String)]
    do {
      parameters = try FormEncoding.decode(encoded)
    } catch {
      return .refused(.refusal(400, "The parameters are malformed."), reason: error.description)
    }
    guard parameters.count <= maximumParameters else {
      return .refused(.refusal(400, "Too many parameters."), reason: "more than \(maximumParameters) parameters")
    }
    // RFC 6749 §3.1: request and response parameters MUST NOT be included more than once.
    guard Set(parameters.map(\.name)).count == parameters.count else {
      return .refused(.refusal(400, "A parameter is there twice."), reason: "a parameter is there twice")
    }
    return .parameters(parameters)
  }

  private var method: String { responseMode == .query ? "GET" : "POST" }

  /// Whether a request for another page of the same sign-in may be answered: from the same host, and a navigation.
  package func admits(_ request: LoopbackRequest) -> Bool {
    request.method == "GET" && allowedHosts.contains(request.host) && refusalOfSender(request) == nil
  }

  private func refusalOfPlace(_ request: LoopbackRequest) -> RedirectVerdict? {
    guard request.method == "GET" || request.method == "POST" else {
      return refusedMethod("a method that no sign-in uses")
    }
    // Browsers ask for it by themselves, whatever the page.
    if request.path == "/favicon.ico", path != "/favicon.ico" {
      return .refused(.empty(404), reason: "a browser's request for an icon")
    }
    guard request.path == path else {
      return .refused(.refusal(404, "Nothing is here."), reason: "another path than the redirect URI's")
    }
    guard request.method == method else {
      return refusedMethod("\(request.method) where response mode \(responseMode.rawValue) sends \(method)")
    }
    guard allowedHosts.contains(request.host) else {
      return .refused(.foreignHost(421), reason: "a foreign Host header")
    }
    return nil
  }

  private func refusalOfSender(_ request: LoopbackRequest) -> RedirectVerdict? {
    // A page's image, script, frame or fetch is not a person who follows a redirect (W3C Fetch Metadata §2).
    for (name, wanted) in [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")] {
      let values = request.values(of: name)
      guard values.isEmpty || values == [wanted] else {
        return .refused(
          .refusal(403, "Only a browser's own navigation may come here."),
          reason: "\(name) is not \(wanted)"
        )
      }
    }
    // A page that is fetched in advance would use the code up before the person is there.
    guard request.values(of: "sec-purpose").isEmpty else {
      return .refused(.refusal(403, "Only a browser's own navigation may come here."), reason: "a fetch in advance")
    }
    return nil
  }

  private func refusalOfForm(_ request: LoopbackRequest) -> RedirectVerdict? {
    guard responseMode == .formPost else {
      return request.body.isEmpty
        ? nil : .refused(.refusal(400, "A body has no place here."), reason: "GET with a body")
    }
    let types = request.values(of: "content-type")
    let mediaType = types.first?.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
    guard types.count == 1, mediaType == "application/x-www-form-urlencoded" else {
      return .refused(.refusal(415, "A form is expected here."), reason: "a POST that is not a form")
    }
    guard request.query ?? "" == "" else {
      return .refused(.refusal(400, "A query has no place here."), reason: "a form post with a query")
    }
    return nil
  }

  private func refusedMethod(_ reason: String) -> RedirectVerdict {
    var response = LoopbackResponse.refusal(405, "This address takes \(method) requests.")
    response.headers.append(("Allow", method))
    return .refused(response, reason: reason)
  }
}

extension LoopbackResponse {
  /// RFC 9110 §15.5.20: the server is not the one that the request names.
  static func foreignHost(_ status: Int) -> Self { refusal(status, "This is not the host that you asked for.") }
}
