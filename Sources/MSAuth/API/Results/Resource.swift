public import FoundationEssentials
import MSAuthTransport

/// What a protected resource answered.
public struct ResourceResponse: Sendable {
  /// The HTTP status.
  public var status: Int
  /// The body as it came.
  public var body: [UInt8]
  /// The body as text, with what was not UTF-8 replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }
  /// The values of all `WWW-Authenticate` fields, in order (RFC 9110 §11.6.1).
  public var challenges: [String] = []

  init(status: Int, body: [UInt8], challenges: [String]) {
    (self.status, self.body, self.challenges) = (status, body, challenges)
  }

  /// Makes a response, for tests of an application.
  ///
  /// - Parameters:
  ///   - status: The HTTP status.
  ///   - text: The body.
  public init(status: Int, text: String) { (self.status, body) = (status, Array(text.utf8)) }
}

extension ResourceResponse {
  /// What the resource demands of the next token, if a 401 says so, or a 403 that a token lacks scopes for
  /// (RFC 6750 §3.1).
  public var demands: ResourceDemands? {
    guard status == 401 || status == 403 else { return nil }
    // Any token will do, and one was sent.
    return ResourceDemands(wwwAuthenticate: challenges).flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// What a resource demands of the next token: claims (Microsoft's Continuous Access Evaluation), a newer or stronger
/// sign-in (RFC 9470), scopes, or just another token (RFC 6750 §3.1).
public struct ResourceDemands: Sendable, Hashable {
  /// A claims request as JSON; a silent request may satisfy it.
  public var claims: String?
  /// The authentication contexts that would do; they need a person.
  public var acrValues: String?
  /// The maximum age of the sign-in; it needs a person.
  public var maxAge: Duration?
  /// The scopes that the token must have (RFC 6750 §3); empty if the resource names none.
  ///
  /// The resource chooses them. Request only those that your application means it to have.
  public var scopes: [String] = []
  /// Whether the resource refused the token itself, as one that expired or was revoked (RFC 6750 §3.1, `invalid_token`);
  /// the stored access token is then not used.
  public var needsNewToken = false

  /// Reads the value of a `WWW-Authenticate` field; nil if it makes no demands that a token could meet.
  ///
  /// - Parameter field: The field's value, with one challenge or several.
  public init?(wwwAuthenticate field: String) { self.init(wwwAuthenticate: [field]) }

  /// Reads the values of all `WWW-Authenticate` fields; nil if they make no demands that a token could meet.
  ///
  /// The demands of a resource that got no token are empty: a stored one will do.
  ///
  /// - Parameter fields: The fields' values, each with one challenge or several.
  public init?(wwwAuthenticate fields: [String]) {
    guard let challenge = ClaimsChallenge(wwwAuthenticate: fields) else { return nil }
    claims = challenge.claims
    acrValues = challenge.acrValues
    maxAge = challenge.maxAge.map { .seconds($0) }
    scopes = challenge.scopes
    needsNewToken = challenge.needsNewToken
  }

  /// Demands that were learnt in another way.
  ///
  /// - Parameter claims: A claims request as JSON.
  public init(claims: String) {
    self.claims = claims
  }

  /// Whether only a person can meet them.
  public var needsPerson: Bool { acrValues != nil || maxAge != nil }

  /// Whether any token of the account meets them.
  public var isEmpty: Bool { claims == nil && !needsPerson && scopes.isEmpty && !needsNewToken }
}

extension PublicClientApplication {
  /// Far more than an API returns in one response.
  private static let maximumResourceSize = 64 << 20

  /// Sends a request to a protected resource.
  ///
  /// - Parameters:
  ///   - method: `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
  ///   - url: The resource: `https`, or `http` to a loopback host.
  ///   - token: The token to send, as RFC 6750 §2.1 has it; with a proof if it is bound to a key (RFC 9449 §7.1).
  ///   - body: The body, as JSON.
  /// - Throws: ``AuthenticationError`` if there is no response.
  /// - Returns: The response, whatever its status.
  public func send(
    _ method: String,
    _ url: URL,
    with token: TokenResult,
    body: [UInt8]? = nil
  ) async throws(AuthenticationError) -> ResourceResponse {
    guard let method = HTTPRequest.Method(rawValue: method) else {
      throw AuthenticationError(.invalidParameter, "\(method.printable(limit: 20)) is no method that a resource takes")
    }
    let response: HTTPResponse
    do {
      response = try await context.dependencies.ask(
        method,
        url.absoluteString,
        showing: Secret(token.accessToken),
        boundTo: token.key,
        body: body.map { Secret(String(decoding: $0, as: UTF8.self)) },
        maximumResponseBytes: Self.maximumResourceSize
      )
    } catch {
      var error = AuthenticationError(wrapping: error)
      if error.reason == .responseTooLarge {
        error.hint = "ask for less at a time, with a query such as $top=100 or $select=id,subject"
      }
      throw error
    }
    return ResourceResponse(
      status: response.status,
      body: Array(response.body),
      challenges: response.all("WWW-Authenticate")
    )
  }
}
