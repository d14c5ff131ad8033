import FoundationEssentials
import MSAuth
import MSAuthTransport

/// Sends requests with a token, and retries with the token that a resource requires.
struct GraphClient {
  /// The request, whose URL is set for each page.
  let request: HTTPRequest
  /// The scopes that the user requested.
  let scopes: [String]
  /// Takes a response of any size, without a time limit.
  let sink: ResponseSink?
  let session: Session
  var token: TokenResult
  /// Whether to wait while the resource is too busy, so that earlier pages aren't lost.
  let waitsWhenThrottled: Bool

  private static let maximumWait: Int64 = 60
  private static let maximumWaits = 5

  /// Gets a valid token of the same account: reading all pages of a list can take longer than a token is valid.
  mutating func renewToken(meeting requirements: ResourceRequirements? = nil) async throws {
    var session = session
    session.parameters.account = token.account
    session.parameters.requirements = requirements
    token = try await session.token()
  }

  mutating func response(from target: WebURL) async throws -> ResourceResponse {
    // Invalid characters aren't percent-encoded: that would be another URL.
    guard URL(string: target.string, encodingInvalidCharacters: false) != nil else {
      throw AuthenticationError.usage("\(target.string.printable()) isn't a URL")
    }
    var (response, source) = try await send(to: target)
    if let requirements = response.requirements {
      // A resource must not choose the scopes of the token that it gets.
      let unrequested = requirements.scopes.filter { !(token.scopes + scopes).contains($0) }
      guard unrequested.isEmpty else { throw failure(reporting: response, from: source, unrequested: unrequested) }
      // The new token is stored, so requests for further pages use it.
      try await renewToken(meeting: requirements)
      (response, source) = try await send(to: target)
    }
    guard response.status.isSuccessStatus else { throw failure(reporting: response, from: source) }
    return response
  }

  /// A request, whose target changes with each redirect.
  private struct Hop {
    var request: HTTPRequest
    var target: WebURL
    var sendsToken = true

    /// The request that a response redirects to; without the token at another origin.
    func redirected(by response: HTTPResponse) throws -> Hop? {
      guard [301, 302, 303, 307, 308].contains(response.status), request.method == .get,
        let location = response.header("Location")
      else { return nil }
      // A fragment is only for browsers.
      let address = location.split(at: "#", maxSplits: 1)[0]
      let url = URL(string: address, relativeTo: URL(string: target.string))?.absoluteString ?? address
      if let (what, _) = target.rejection(of: url) {
        throw AuthenticationError(.invalidResponse, "the redirect of \(target.origin) \(what)")
      }
      var next = self
      next.target = try WebURL(url, .request)
      if next.target.origin != target.origin {
        next.sendsToken = false
        // The other header fields may contain secrets for the resource.
        next.request.headers.removeAll { !["accept", "range"].contains($0.name.lowercased()) }
      }
      return next
    }
  }

  private static let maximumRedirects = 5

  /// Sends the request, follows redirects, and also returns the final URL.
  private mutating func send(to target: WebURL) async throws -> (ResourceResponse, WebURL) {
    var hop = Hop(request: request, target: target)
    if let sink {
      // A request with a receiver has no time limit.
      hop.request.receiver = { _, piece in sink.take(piece) }
      showProgress(of: sink)
    }
    defer { StatusLine.end() }
    var response = try await sendRetryingWhileBusy(hop)
    for _ in 0..<Self.maximumRedirects {
      guard let next = try hop.redirected(by: response) else { break }
      hop = next
      response = try await sendRetryingWhileBusy(hop)
    }
    var result = ResourceResponse(response, now: SystemClock().now())
    // Another origin must not choose the claims of the token.
    if !hop.sendsToken { result.challenges = [] }
    if let sink, response.status.isSuccessStatus { result.body = sink.content }
    return (result, hop.target)
  }

  private func showProgress(of sink: ResponseSink) {
    let size = request.content.count
    StatusLine.begin { elapsed in
      guard elapsed > .seconds(1) else { return "" }
      let done = sink.count
      let phase = size > 0 ? "sending \(size.shortSize)" : "waiting for the response"
      return "msauth: \(done > 0 ? "received \(done.shortSize)" : phase), \(elapsed.secondsRoundedUp) s"
    }
  }

  /// Sends a request; if the resource is too busy, waits as long as it requests, within limits.
  private mutating func sendRetryingWhileBusy(_ hop: Hop) async throws -> HTTPResponse {
    var request = hop.request
    request.url = hop.target.string
    var response = try await session.client.transfer(request, with: hop.sendsToken ? token : nil)
    var waits = 0
    while waitsWhenThrottled, [429, 503].contains(response.status), waits < Self.maximumWaits,
      let seconds = response.retryAfter(now: SystemClock().now()), seconds <= Self.maximumWait
    {
      Console.notice("\(hop.target.origin) is busy; continuing in \(seconds) s")
      try await Duration.seconds(seconds).sleep()
      waits += 1
      if hop.sendsToken { try await renewToken() }
      response = try await session.client.transfer(request, with: hop.sendsToken ? token : nil)
    }
    return response
  }

  /// Prints the response's status, its body if that is JSON, and a hint.
  private func failure(
    reporting response: ResourceResponse,
    from target: WebURL,
    unrequested: [String] = []
  ) -> CommandFailure {
    let resource = (target.path + (target.query.map { "?" + $0 } ?? "")).printable()
    let message = "\(target.origin) returned \(response.status) for \(request.method.rawValue) \(resource)"
    let required = response.requirements?.scopes.joined(separator: " ").printable(limit: 500) ?? ""
    let hint: Hint? =
      if !unrequested.isEmpty {
        """
        the resource requires another scope: \(scopes.contains(where: Scopes.isDefault) ? "replace /.default with" : "add") \
        \(command: unrequested.flatMap { Invocation.option("--scope", $0) })
        """
      } else if !required.isEmpty {
        "the token needs the scope \(required), and the account needs permission for it"
      } else {
        switch response.status {
        case 401, 403:
          """
          the token has the scopes \(token.scopes.joined(separator: " ").printable(limit: 500)); request those that this \
          call needs with --scope
          """
        case 404: "check the path: there is no \(target.path) here"
        default: nil
        }
      }
    let time = response.retryAfter
    let error = AuthenticationError(status: response.status, .serverError, message, retryAfter: time, hint: hint)
    Console.error(message)
    // Print JSON only; an HTML page would fill the terminal.
    if (try? JSONValue(parsing: response.body)) != nil { Console.message(response.text.printable(limit: 2000)) }
    if let hint = error.specificHint { Console.hint(hint) }
    return CommandFailure(error, output: JSONResult(["status": response.status]))
  }
}

extension Int {
  /// A number of bytes, such as `1.5 MiB`.
  fileprivate var shortSize: String {
    self < 1 << 20 ? "\((self + 1023) >> 10) KiB" : "\(Double((self * 10) >> 20) / 10) MiB"
  }
}
