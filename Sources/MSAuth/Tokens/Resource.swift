public import FoundationEssentials
import MSAuthTransport

/// The response of a protected resource.
public struct ResourceResponse: Sendable {
  /// The HTTP status.
  public var status: Int
  /// The body.
  public var body: [UInt8]
  /// The body as text, with invalid UTF-8 replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }
  /// The values of all `WWW-Authenticate` fields, in order (RFC 9110 §11.6.1).
  public var challenges: [String] = []
}

extension ResourceResponse {
  /// Creates a response, for tests of an application.
  public init(status: Int, text: String) { self.init(status: status, body: Array(text.utf8)) }

  /// The resource's requirements for the next token, from a 401, or a 403 due to missing scopes (RFC 6750 §3.1).
  public var requirements: ResourceRequirements? {
    guard status == 401 || status == 403 else { return nil }
    // No requirements, although a token was sent.
    return ResourceRequirements(wwwAuthenticate: challenges).flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// A resource's requirements for the next token: claims (Microsoft's Continuous Access Evaluation), a newer or stronger
/// sign-in (RFC 9470), scopes, or just another token (RFC 6750 §3.1).
public struct ResourceRequirements: Sendable, Hashable {
  /// A claims request as JSON; a silent request may satisfy it.
  public var claims: String?
  /// The acceptable authentication contexts, which require a sign-in.
  public var acrValues: String?
  /// The maximum age of the sign-in, which requires a new one.
  public var maxAge: Duration?
  /// The scopes that the token must have (RFC 6750 §3); empty if the resource names none.
  ///
  /// The resource chooses them. Request only those that your application expects.
  public var scopes: [String] = []
  /// Whether the resource rejected the token itself as expired or revoked (RFC 6750 §3.1, `invalid_token`); the stored
  /// access token is then not used.
  public var needsNewToken = false

  /// Reads the value of one `WWW-Authenticate` field; nil if no token could meet its requirements.
  public init?(wwwAuthenticate field: String) { self.init(wwwAuthenticate: [field]) }

  /// Reads the values of all `WWW-Authenticate` fields; nil if no token could meet their requirements.
  ///
  /// The requirements are empty if the request had no token: a stored one is enough.
  ///
  /// - Parameter fields: The fields' values, each with one or more challenges.
  public init?(wwwAuthenticate fields: [String]) {
    guard let challenge = ClaimsChallenge(wwwAuthenticate: fields) else { return nil }
    claims = challenge.claims
    acrValues = challenge.acrValues
    maxAge = challenge.maxAge.map { .seconds($0) }
    scopes = challenge.scopes
    needsNewToken = challenge.needsNewToken
  }

  /// Creates requirements from a claims request, as JSON.
  public init(claims: String) { self.claims = claims }

  /// Whether only a sign-in can meet them.
  public var needsSignIn: Bool { acrValues != nil || maxAge != nil }

  /// Whether any token of the account meets them.
  public var isEmpty: Bool { claims == nil && !needsSignIn && scopes.isEmpty && !needsNewToken }
}

extension PublicClientApplication {
  private static let maximumResourceSize = 64 << 20

  /// Sends a request to a protected resource.
  ///
  /// - Parameters:
  ///   - method: `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
  ///   - url: The resource: `https`, or `http` to a loopback host.
  ///   - token: The token to send (RFC 6750 §2.1), with a proof if it is bound to a key (RFC 9449 §7.1).
  ///   - body: The body, as JSON.
  /// - Throws: `AuthenticationError` if there is no response.
  /// - Returns: The response, with any status.
  public func send(
    _ method: String,
    _ url: URL,
    with token: TokenResult,
    body: [UInt8]? = nil
  ) async throws(AuthenticationError) -> ResourceResponse {
    guard let method = HTTPRequest.Method(rawValue: method) else {
      throw AuthenticationError(.invalidParameter, "unknown method \(method.quoted)")
    }
    let text = body.map { String(validating: $0, as: UTF8.self) }
    if case .some(nil) = text { throw AuthenticationError(.invalidParameter, "the body isn't UTF-8") }
    let response: HTTPResponse
    do {
      response = try await context.dependencies.request(
        method,
        url.absoluteString,
        with: Secret(token.accessToken),
        boundTo: token.key,
        body: text?.map { Secret($0) },
        maximumResponseBytes: Self.maximumResourceSize
      )
    } catch {
      var error = error
      if error.reason == .responseTooLarge {
        error.hint = "request less at a time, with a query such as $top=100 or $select=id,subject"
      }
      throw error
    }
    let challenges = response.all("WWW-Authenticate")
    return ResourceResponse(status: response.status, body: Array(response.body), challenges: challenges)
  }
}
