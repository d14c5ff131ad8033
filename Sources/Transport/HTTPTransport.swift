/// Sends requests to a provider.
package protocol HTTPTransport: Sendable {
  /// Sends one request and returns its response, whatever its status; follows no redirect.
  ///
  /// - Parameter request: The request; `https`, or `http` to a loopback host.
  /// - Returns: The response.
  /// - Throws: ``TransportError`` when there is no response.
  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
}

/// A request that has ended, for the log: nothing in it is secret.
package struct HTTPExchange: Sendable, Equatable {
  package let method: HTTPRequest.Method
  /// Scheme, host and path; a query may carry codes.
  package let url: String
  /// nil when there was no response.
  package let status: Int?
  package let milliseconds: Int
}
