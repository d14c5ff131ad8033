import OAuth
import Primitives
import Transport

extension HTTPTransport {
  /// What MSAL waits before its one retry.
  private static var pause: Duration { .milliseconds(500) }

  /// Sends a request, and tells a failure in this library's words.
  func deliver(_ request: HTTPRequest) async throws -> HTTPResponse {
    do {
      return try await send(request)
    } catch {
      throw AuthenticationError(error)
    }
  }

  /// Sends a request that may be sent twice, and does so once more where that may help, as MSAL does.
  ///
  /// Never for an authorization code: a server that failed may have consumed it, and seeing it again it has to withdraw
  /// what it gave (RFC 6749 §4.1.2).
  ///
  /// - Parameters:
  ///   - request: What to send.
  ///   - afterLoss: Whether also when no answer came; a request that was lost on the way back has had its effect.
  /// - Returns: The last answer.
  /// - Throws: ``AuthenticationError``.
  func deliverTwice(_ request: HTTPRequest, afterLoss: Bool = true) async throws -> HTTPResponse {
    do {
      let response = try await deliver(request)
      // A server that says when to come back means it.
      guard response.status >= 500, response.header("Retry-After") == nil else { return response }
    } catch let error as AuthenticationError where afterLoss && error.code == .providerUnreachable {
      // Once more below.
    }
    try await Task.sleep(for: Self.pause)
    return try await deliver(request)
  }
}
