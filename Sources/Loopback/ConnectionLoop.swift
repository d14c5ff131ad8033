internal import Glibc
internal import Synchronization
internal import Unix

/// Serves a listener's connections on one thread of its own, and hands their requests to tasks.
///
/// One thread, and no task and no timer for each connection: whoever connects all the time costs little, and the
/// browser, which is one of many then, waits for the few that came just before it.
final class ConnectionLoop: Sendable {
  /// What a task has found out for a connection.
  enum Finding: Sendable {
    case decision(PeerOwner.Decision)
    case response(LoopbackResponse)
  }

  private struct Inbox {
    var findings: [(id: UInt64, finding: Finding)] = []
    var isCancelled = false
    /// Whether the thread waits for events, and so has to be woken.
    var isWaiting = false
  }

  let listener: LoopbackListener
  let limits: Limits
  /// The `Host` header values that mean this listener.
  let hosts: Set<String>
  let poller: Poller
  let onEvent: @Sendable (LoopbackListener.Event) -> Void
  let respond: @Sendable (LoopbackRequest) async -> LoopbackResponse
  private let refusal: @Sendable (_ status: Int, LoopbackRequest?) -> LoopbackResponse?
  private let inbox = Mutex(Inbox())

  /// - Throws: `SocketFailure` when the system has no descriptors left.
  init(
    listener: LoopbackListener,
    onEvent: @escaping @Sendable (LoopbackListener.Event) -> Void,
    refusal: @escaping @Sendable (_ status: Int, LoopbackRequest?) -> LoopbackResponse?,
    respond: @escaping @Sendable (LoopbackRequest) async -> LoopbackResponse
  ) throws(SocketFailure) {
    self.listener = listener
    self.limits = listener.limits.fitting()
    self.hosts = listener.host.headerValues(port: listener.port)
    self.poller = try Poller()
    self.onEvent = onEvent
    self.refusal = refusal
    self.respond = respond
  }

  /// Serves until the listener closes or the task is cancelled, and until the last response is written then.
  ///
  /// - Returns: Whether the system had a thread to give.
  func run() async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isStarted = BackgroundThread.start { [self] in
          var server = ConnectionServer(self)
          server.run()
          continuation.resume(returning: true)
        }
        if !isStarted { continuation.resume(returning: false) }
      }
    } onCancel: {
      inbox.withLock { $0.isCancelled = true }
      poller.wakeUp()
    }
  }

  /// The response to what is not answered by ``respond``.
  func refuse(_ status: Int, _ text: String, _ request: LoopbackRequest? = nil) -> LoopbackResponse {
    refusal(status, request) ?? .refusal(status, text)
  }

  /// Makes the thread look at whether the listener is still open.
  func wakeUp() { poller.wakeUp() }

  /// Hands over what a task has found out.
  func post(_ finding: Finding, for id: UInt64) {
    let isWaiting = inbox.withLock { inbox in
      inbox.findings.append((id, finding))
      defer { inbox.isWaiting = false }
      return inbox.isWaiting
    }
    if isWaiting { poller.wakeUp() }
  }

  /// Whether the task that waits for the thread was cancelled.
  var isCancelled: Bool { inbox.withLock { $0.isCancelled } }

  /// What tasks have found out since the last call.
  func takeFindings() -> [(id: UInt64, finding: Finding)] {
    inbox.withLock { inbox in
      defer { inbox.findings.removeAll(keepingCapacity: true) }
      return inbox.findings
    }
  }

  /// Waits for events, but not while there are findings.
  ///
  /// - Returns: The numbers of what is ready.
  func wait(milliseconds: Int32) -> [UInt64] {
    let isIdle = inbox.withLock { inbox in
      inbox.isWaiting = inbox.findings.isEmpty
      return inbox.isWaiting
    }
    defer { inbox.withLock { $0.isWaiting = false } }
    return poller.wait(milliseconds: isIdle ? milliseconds : 0)
  }
}
