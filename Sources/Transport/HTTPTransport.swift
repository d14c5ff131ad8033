package import Core
/// Sends requests to a provider.
package protocol HTTPTransport: Sendable {
  /// Sends one request and returns its response, whatever its status; follows no redirect.
  func send(_ request: HTTPRequest) async throws(Failure) -> HTTPResponse

  /// Gets ready for a request that will come; what fails now fails then, and is reported then.
  func prepare() async
}

extension HTTPTransport {
  // As a rule there is nothing to get ready.
  package func prepare() async {}
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

/// How long a request may take.
package struct Timeouts: Sendable, Equatable {
  /// Until the connection is established, name resolution and TLS included.
  ///
  /// A person waits at a terminal: a provider that needs longer is down.
  package var connect: Duration
  /// From the first step until the last byte of the body.
  package var total: Duration

  package init(connect: Duration = .seconds(10), total: Duration = .seconds(30)) {
    self.connect = connect
    self.total = total
  }
}

/// How large a response may be.
///
/// A provider's documents take a few kilobytes; Microsoft's key set, the largest, about twenty.
package struct ResponseLimits: Sendable, Equatable {
  /// Bytes of the body after decompression, so that a small gzip stream cannot exhaust the memory.
  package var maximumBodyBytes: Int
  /// Bytes of all header lines, those of interim responses included.
  package var maximumHeaderBytes: Int

  package init(maximumBodyBytes: Int = 1 << 20, maximumHeaderBytes: Int = 64 << 10) {
    self.maximumBodyBytes = maximumBodyBytes
    self.maximumHeaderBytes = maximumHeaderBytes
  }
}
