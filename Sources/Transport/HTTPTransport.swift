/// How a request reaches a provider: the seam between msauth and the network.
package protocol HTTPTransport: Sendable {
  /// Sends one request and returns its response, whatever its status; follows no redirect.
  ///
  /// - Parameter request: What to send; `https`, or `http` to a loopback host alone.
  /// - Returns: What the provider answered.
  /// - Throws: ``TransportError`` when there is no response.
  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
}
