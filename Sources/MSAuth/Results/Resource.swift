import Primitives
import Transport

/// What a protected resource answered.
public struct ResourceResponse: Sendable {
  /// The HTTP status.
  public var status: Int
  /// The body as text, with what was not UTF-8 replaced.
  public var text: String
  /// The challenge of a 401, from `WWW-Authenticate`.
  public var challenge: String?
}

extension PublicClientApplication {
  /// Asks a protected resource, such as Microsoft Graph's `/v1.0/me`.
  ///
  /// - Parameters:
  ///   - url: The resource: `https`, or `http` to a loopback host.
  ///   - token: The token to send, as RFC 6750 §2.1 has it.
  /// - Throws: ``AuthenticationError`` when there is no answer.
  /// - Returns: The answer, whatever its status.
  public func get(_ url: String, with token: TokenResult) async throws -> ResourceResponse {
    let request = HTTPRequest(
      .get,
      url,
      headers: [("Accept", "application/json")],
      bearer: Secret(token.accessToken)
    )
    let response = try await surroundings.transport.deliver(request)
    return ResourceResponse(
      status: response.status,
      text: String(decoding: response.body, as: UTF8.self),
      challenge: response.header("WWW-Authenticate")?.printable(limit: 8192)
    )
  }
}
