import Core

/// A request that passed every check, with all that its transfer needs.
struct Transfer: Sendable {
  let request: HTTPRequest
  let destination: WebURL
  let headerLines: [String]
  let userAgent: String
  let timeouts: Timeouts
  let limits: ResponseLimits
  let network: NetworkSettings

  func failure(_ kind: TransportError.Kind, _ message: String, remedy: Remedy? = nil) -> TransportError {
    TransportError(kind, host: destination.name, message: message, remedy: remedy)
  }
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

extension Duration {
  /// Whole milliseconds, at least one: libcurl reads zero as its own default.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }
}
