/// How large a response may be.
///
/// A provider's documents take a few kilobytes; Microsoft's key set, the largest, about twenty.
package struct ResponseLimits: Sendable, Equatable {
  /// Bytes of the body after decompression, so that a small gzip stream cannot fill the memory.
  package var body: Int
  /// Bytes of all header lines, those of interim responses included.
  package var headers: Int

  package init(body: Int = 1 << 20, headers: Int = 64 << 10) {
    self.body = body
    self.headers = headers
  }
}
