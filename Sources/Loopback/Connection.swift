internal import Glibc

/// One connection: one request, one response.
///
/// It belongs to the thread of the ``ConnectionLoop``.
final class Connection {
  /// What a connection is doing.
  enum State {
    /// It is not known yet whether its peer may be served.
    case deciding
    /// Its request is not complete yet.
    case reading
    /// Its request is being answered.
    case answering
    /// Its response is being written.
    case writing
    /// Its response is written, and what its peer still sends is discarded.
    case draining
  }

  /// Higher for later ones.
  let id: UInt64
  let descriptor: Int32
  let began: ContinuousClock.Instant
  var state: State
  /// When the state's time is over; nil while the request is being answered, which may take as long as it needs.
  var deadline: ContinuousClock.Instant?
  var reader: RequestReader
  /// Whether the whole request was read, so that nothing more is expected.
  var hasWholeRequest = false
  /// Whether the request was `HEAD`.
  var isHead = false
  /// Whether the peer has closed at least its sending half.
  var hasPeerClosed = false
  /// What of the response is not written yet.
  var output: ArraySlice<UInt8> = []
  /// Bytes that were discarded.
  var drained = 0
  /// What the poller watches it for; nil while it does not.
  var interest: Poller.Interest?

  /// Bytes that are kept for this connection while it waits for its peer.
  var heldBytes: Int { reader.count + output.count }
  /// What of them the server has counted.
  var countedBytes = 0

  init(id: UInt64, descriptor: Int32, state: State, limits: Limits, began: ContinuousClock.Instant = .now) {
    self.id = id
    self.descriptor = descriptor
    self.began = began
    self.state = state
    self.reader = RequestReader(limits: limits)
  }
}
