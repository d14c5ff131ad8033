package import Transport

/// Sends a request again where that may help and does no harm, as MSAL does.
package struct RetryingTransport: HTTPTransport {
  let base: any HTTPTransport
  let settings: HTTPSettings

  package init(base: any HTTPTransport, settings: HTTPSettings) {
    self.base = base
    self.settings = settings
  }

  package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    var request = request
    for _ in 0..<(request.isRepeatable ? settings.retryCount : 0) {
      do {
        let response = try await base.send(request)
        // What says when to come back is not asked earlier (RFC 9110 §10.2.3).
        guard (500...599).contains(response.status), response.header("Retry-After") == nil else { return response }
      } catch {
        // A request that was lost may have been heard: a code or a rotated refresh token is good once.
        guard error.kind == .unreachable, request.method == .get else { throw error }
      }
      // Cancelled, the next attempt fails at once and says so.
      try? await Task.sleep(for: settings.retryInterval)
      request = request.rebuild?() ?? request
    }
    return try await base.send(request)
  }
}
