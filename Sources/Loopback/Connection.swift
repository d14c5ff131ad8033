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
  private var discardedBytes = 0
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

// Its socket, which never blocks.
extension Connection {
  /// What one look at the socket has come to.
  enum Step {
    /// The rest comes when the socket is ready.
    case wait(Poller.Interest)
    /// The request is complete.
    case request(LoopbackRequest)
    /// The response is written.
    case written
    /// Nothing more is to be had, or to be done.
    case end
  }

  /// Reads what there is of the request.
  ///
  /// - Parameter input: Memory for what is read.
  /// - Throws: `RequestError` when it cannot become a request.
  /// - Returns: The request, or that more is needed or nobody is there any more.
  func receive(into input: inout [UInt8]) throws(RequestError) -> Step {
    let count = recv(descriptor, &input, input.count, 0)
    guard count > 0 else {
      // Who disconnects, as browsers do that connected in advance, gets no answer.
      return count < 0 && (errno == EAGAIN || errno == EINTR) ? .wait(.input) : .end
    }
    guard let request = try reader.read(input[..<count]) else { return .wait(.input) }
    hasWholeRequest = true
    return .request(request)
  }

  /// Writes as much of the response as the socket takes.
  func sendOutput() -> Step {
    while !output.isEmpty {
      let count = output.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else {
        if count < 0, errno == EINTR { continue }
        return count < 0 && errno == EAGAIN ? .wait(.output) : .end
      }
      output.removeFirst(count)
    }
    return .written
  }

  /// Discards what its peer still sends, without copying it (tcp(7)).
  func discardInput(limits: Limits) -> Step {
    let count = recv(descriptor, nil, limits.maximumHeadBytes, Int32(MSG_DONTWAIT | MSG_TRUNC))
    if count > 0 {
      discardedBytes += count
      return discardedBytes < limits.maximumDrainBytes ? .wait(.input) : .end
    }
    // With nothing unread, closing resets nothing: who has sent a whole request only reads now.
    return count < 0 && (errno == EAGAIN || errno == EINTR) && !hasWholeRequest ? .wait(.input) : .end
  }
}
