import MSAuthTransport

/// Retries requests if that may help and does no harm, as MSAL does.
struct RetryingTransport: HTTPTransport {
  let base: any HTTPTransport
  let settings: HTTPSettings

  func send(_ request: HTTPRequest) async throws(AuthenticationError) -> HTTPResponse {
    var request = request
    for _ in 0..<(request.isRepeatable ? settings.retryCount : 0) {
      do {
        let response = try await sendOnce(request)
        // `Retry-After` is honored (RFC 9110 §10.2.3).
        guard (500...599).contains(response.status), response.header("Retry-After") == nil else { return response }
      } catch {
        // A lost request may have been processed: a code or a rotated refresh token works once. A receiver can't return the
        // bytes that it got.
        guard error.reason == .unreachable, request.method == .get, request.receiver == nil else { throw error }
      }
      // If canceled, the next attempt fails immediately with that error.
      try? await Task.sleep(for: settings.retryInterval)
      request = request.rebuild?() ?? request
    }
    return try await sendOnce(request)
  }

  private func sendOnce(_ request: HTTPRequest) async throws(AuthenticationError) -> HTTPResponse {
    if request.authorization != nil || request.body != nil { try LoopbackServer.checkOwner(at: request.url) }
    return try await base.send(request)
  }

  func prepare() async { await base.prepare() }
}
