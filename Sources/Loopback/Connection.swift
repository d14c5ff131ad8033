/// One request and its response, on the server's thread.
final class Connection {
  enum State {
    case reading
    /// A task composes the response; this state has no deadline.
    case answering
    case writing
    /// The response is written; further input is discarded.
    case draining
  }

  let id: UInt64
  let descriptor: Int32
  let began: ContinuousClock.Instant
  var state = State.reading
  var deadline: ContinuousClock.Instant
  var reader: RequestReader
  var hasWholeRequest = false
  var isHead = false
  var task: Task<Void, Never>?
  var output: ArraySlice<UInt8> = []
  var drainedBytes = 0

  /// Bytes held while the connection waits for its peer.
  var heldBytes: Int { reader.count + output.count }

  init(id: UInt64, descriptor: Int32, limits: Limits, now: ContinuousClock.Instant) {
    self.id = id
    self.descriptor = descriptor
    self.began = now
    self.deadline = now + limits.requestTimeout
    self.reader = RequestReader(limits: limits)
  }
}
