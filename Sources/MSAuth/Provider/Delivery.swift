import OAuth
import Core
import Transport

extension HTTPTransport {
  /// Sends a request, and tells a failure in this library's words.
  func deliver(_ request: HTTPRequest) async throws -> HTTPResponse {
    do {
      return try await send(request)
    } catch {
      throw AuthenticationError(error)
    }
  }
}
