public import FoundationEssentials
package import MSAuthTransport

/// The response of a protected resource.
public struct ResourceResponse: Sendable, Equatable {
  /// The HTTP status.
  public var status: Int
  /// The body.
  public var body: [UInt8]
  /// The body as text, with invalid UTF-8 replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }
  /// The values of all `WWW-Authenticate` fields, in order (RFC 9110 §11.6.1).
  public var challenges: [String] = []
  /// How long to wait before the next request (`Retry-After`, RFC 9110 §10.2.3); at most an hour.
  public var retryAfter: Duration?
}

extension ResourceResponse {
  /// Creates a response, for tests of an application.
  public init(status: Int, text: String) { self.init(status: status, body: Array(text.utf8)) }

  package init(_ response: HTTPResponse, now: UnixTime) {
    self.init(status: response.status, body: response.body, challenges: response.all("WWW-Authenticate"))
    retryAfter = response.retryAfter(now: now).map { .seconds($0) }
  }

  /// The resource's requirements for the next token, from a 401, or a 403 due to missing scopes (RFC 6750 §3.1).
  public var requirements: ResourceRequirements? {
    guard status == 401 || status == 403 else { return nil }
    let challenges = AuthenticationChallenge.all(in: challenges)
    // A 403 without an error doesn't reject the token.
    return ResourceRequirements(challenges, sentToken: status == 401).flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension PublicClientApplication {
  /// Sends a request to a protected resource: ``ClientApplication/send(_:_:with:body:)``.
  public func send(
    _ method: String,
    _ url: URL,
    with token: TokenResult,
    body: [UInt8]?
  ) async throws(AuthenticationError) -> ResourceResponse {
    guard let method = HTTPRequest.Method(rawValue: method) else {
      throw AuthenticationError(.invalidParameter, "unknown method \(method.quoted)")
    }
    var request = HTTPRequest(method, url.absoluteString, headers: [("Accept", "application/json")])
    if let body {
      guard let text = String(validating: body, as: UTF8.self) else {
        throw AuthenticationError(.invalidParameter, "the body isn't UTF-8")
      }
      request.body = Secret(text)
      request.headers.append(("Content-Type", "application/json"))
    }
    let response = try await transfer(request, with: token)
    return ResourceResponse(response, now: context.now)
  }

  /// The limit of a response in memory, in bytes.
  package static let maximumResponseSize = 64 << 20

  /// Sends any request to a resource, with a proof if the token is bound to a key; another origin gets no token.
  package func transfer(
    _ request: HTTPRequest,
    with token: TokenResult?
  ) async throws(AuthenticationError) -> HTTPResponse {
    var request = request
    request.maximumResponseBytes = Self.maximumResponseSize
    do {
      guard let token else { return try await context.dependencies.send(request) }
      return try await context.dependencies.send(request, with: Secret(token.accessToken), boundTo: token.key)
    } catch {
      guard error.reason == .responseTooLarge else { throw error }
      throw error.with { $0.hint = "request less at a time, with a query such as $top=100 or $select=id,subject" }
    }
  }
}
