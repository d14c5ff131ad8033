internal import Glibc

/// What the thread of a ``ConnectionLoop`` does: it accepts, reads, and writes, and never waits for one connection.
struct ConnectionServer {
  private let loop: ConnectionLoop
  private var table = ConnectionTable()
  private var refused: RefusedConnections
  /// What another user gets, and who comes when all connections are being answered.
  private let foreignUser: [UInt8]
  private let busy: [UInt8]
  /// The tasks that have not finished; a connection may have ended before its task.
  private var tasks: [UInt64: Task<Void, Never>] = [:]
  /// The connections whose requests were handed over since the last wait.
  private var handedOver: [Connection] = []
  /// An accepted connection for which there is no place yet, and since when.
  private var waiting: (descriptor: Int32, state: Connection.State, ends: Ends, since: ContinuousClock.Instant)?
  private var nextID: UInt64
  private var now = ContinuousClock.now
  /// No deadline is earlier.
  private var nextDeadline: ContinuousClock.Instant?
  /// Until when nothing is accepted.
  private var pauseEnd: ContinuousClock.Instant?
  private var isClosing = false
  /// The sum over all connections, as counted.
  private var heldBytes = 0
  private var input = [UInt8](repeating: 0, count: 16 * 1024)

  private typealias Ends = (peer: LoopbackAddress?, local: LoopbackAddress)

  private var limits: Limits { loop.limits }

  init(_ loop: ConnectionLoop) {
    self.loop = loop
    self.refused = RefusedConnections(limits: loop.limits)
    self.foreignUser = loop.refuse(403, "This sign-in belongs to another user of this computer.").serialized()
    self.busy = loop.refuse(503, "Try again in a moment.").serialized()
    // The numbers below are those of the listening sockets.
    self.nextID = UInt64(loop.listener.sockets.count)
  }

  mutating func run() {
    listen(.input)
    while !isClosing || table.count > 0 || !tasks.isEmpty {
      let ready = loop.wait(milliseconds: millisecondsToWait)
      now = .now
      for id in ready {
        if let connection = table[id] { proceed(connection) }
      }
      if !isClosing, !loop.listener.isOpen || loop.isCancelled { close() }
      if !isClosing { accept() }
      takeFindings()
      // Last, those who have their answer and send all the same.
      for id in ready {
        if let connection = table[id], connection.state == .draining { drain(connection) }
      }
      for connection in handedOver where connection.state == .answering { watch(connection, .hangUp) }
      handedOver.removeAll(keepingCapacity: true)
      expire()
    }
    refused.closeAll()
  }

  /// Begins or goes on to watch the listening sockets.
  private func listen(_ interest: Poller.Interest) {
    for (id, socket) in loop.listener.sockets.enumerated() {
      let descriptor = socket.descriptor
      if !loop.poller.add(descriptor, interest, id: UInt64(id)) {
        loop.poller.change(descriptor, interest, id: UInt64(id))
      }
    }
  }

  /// Accepts no more, ends who is still to send a request, and lets answers finish.
  private mutating func close() {
    isClosing = true
    for socket in loop.listener.sockets { loop.poller.remove(socket.descriptor) }
    if let waiting { Glibc.close(waiting.descriptor) }
    waiting = nil
    for connection in table.all where connection.state != .answering && connection.state != .writing {
      end(connection)
    }
    // What closes lets answers finish, what cancels ends them.
    cancelTasksIfAsked()
  }

  private func cancelTasksIfAsked() {
    if loop.isCancelled { for task in tasks.values { task.cancel() } }
  }
}

// Accepting.
extension ConnectionServer {
  private mutating func accept() {
    guard pauseEnd.map({ $0 <= now }) ?? true else { return }
    if pauseEnd != nil {
      pauseEnd = nil
      listen(.input)
    }
    for socket in loop.listener.sockets {
      for _ in 0..<limits.maximumAcceptedAtOnce {
        if waiting != nil, !placeWaiting() { return }
        let (descriptor, peer): (Int32, LoopbackAddress?)
        do throws(SocketFailure) {
          (descriptor, peer) = try socket.accept()
        } catch {
          if error.number == EAGAIN { break }
          if error.number == EINTR || error.number == ECONNABORTED { continue }
          guard loop.listener.isOpen else { return }
          // EMFILE, ENFILE, ENOBUFS: all of them are temporary.
          loop.onEvent(.acceptFailed)
          guard let connection = table.dispensable, connection.state != .answering,
            table.waitingTime(for: connection, now: now, limits: limits) == .zero
          else { return pause(limits.acceptRetryDelay) }
          end(connection)
          continue
        }
        admit(descriptor, (peer, socket.address))
      }
    }
  }

  private mutating func pause(_ duration: Duration) {
    pauseEnd = now + duration
    listen(.none)
  }

  private mutating func admit(_ descriptor: Int32, _ ends: Ends) {
    let decision = loop.listener.peerOwner.immediateDecision(on: ends.peer, connectedTo: ends.local)
    if case .refused(let event) = decision {
      loop.onEvent(event)
      return refused.refuse(descriptor, foreignUser, now: now)
    }
    waiting = (descriptor, decision == nil ? .deciding : .reading, ends, now)
    _ = placeWaiting()
  }

  /// Serves the accepted connection that waits, if need be in place of another one.
  ///
  /// - Returns: Whether none waits any more.
  private mutating func placeWaiting() -> Bool {
    guard let (descriptor, state, ends, since) = waiting else { return true }
    // Those that are answered in this very moment make room.
    if table.count >= limits.maximumConnections, table.dispensable == nil { takeFindings() }
    if table.count >= limits.maximumConnections {
      guard let dispensable = table.dispensable else {
        if since.duration(to: now) < limits.fullTimeout {
          pause(limits.acceptRetryDelay)
          return false
        }
        waiting = nil
        loop.onEvent(.refused(status: 503, reason: "too many connections wait for an answer"))
        refused.refuse(descriptor, busy, now: now)
        return true
      }
      let rest = table.waitingTime(for: dispensable, now: now, limits: limits)
      guard rest == .zero else {
        pause(rest)
        return false
      }
      end(dispensable)
    }
    waiting = nil
    begin(descriptor, state, ends)
    return true
  }

  private mutating func begin(_ descriptor: Int32, _ state: Connection.State, _ ends: Ends) {
    let connection = Connection(id: nextID, descriptor: descriptor, state: state, limits: limits, began: now)
    nextID += 1
    table.insert(connection)
    set(connection, deadlineAfter: limits.requestTimeout)
    // A browser's request has mostly come by now.
    if state == .reading { return read(connection) }
    start(connection) { [peerOwner = loop.listener.peerOwner] in
      .decision(await peerOwner.decision(on: ends.peer, connectedTo: ends.local))
    }
  }
}

// Tasks, and time.
extension ConnectionServer {
  /// Starts a task, of which the part before it first has to wait runs here and now.
  private mutating func start(
    _ connection: Connection,
    _ work: @escaping @Sendable () async -> ConnectionLoop.Finding
  ) {
    let id = connection.id
    tasks[id] = Task.immediate { [loop] in loop.post(await work(), for: id) }
    cancelTasksIfAsked()
  }

  private mutating func takeFindings() {
    while case let findings = loop.takeFindings(), !findings.isEmpty {
      for (id, finding) in findings {
        tasks[id] = nil
        guard let connection = table[id] else { continue }
        switch finding {
        case .response(let response): respond(connection, response)
        case .decision(.admitted):
          connection.state = .reading
          read(connection)
        case .decision(.refused(let event)):
          loop.onEvent(event)
          table.remove(connection)
          refused.refuse(connection.descriptor, foreignUser, now: now)
        }
      }
    }
  }

  private mutating func set(_ connection: Connection, deadlineAfter duration: Duration?) {
    connection.deadline = duration.map { now + $0 }
    guard let deadline = connection.deadline else { return }
    nextDeadline = min(nextDeadline ?? deadline, deadline)
  }

  private var millisecondsToWait: Int32 {
    guard let next = [nextDeadline, pauseEnd, refused.nextDeadline].compactMap(\.self).min() else { return -1 }
    let milliseconds = (ContinuousClock.now.duration(to: next) / .milliseconds(1)).rounded(.up)
    return Int32(min(max(0, milliseconds), 60_000))
  }

  /// Ends the states whose time is over.
  private mutating func expire() {
    refused.expire(now: now)
    guard let next = nextDeadline, next <= now else { return }
    for connection in table.all {
      guard let deadline = connection.deadline, deadline <= now else { continue }
      if connection.state == .reading, connection.reader.count > 0 {
        refuse(connection, RequestError(status: 408, reason: "it did not come in time"))
      } else {
        // A browser that connects in advance may never send anything.
        end(connection)
      }
    }
    nextDeadline = table.all.compactMap(\.deadline).min()
  }
}

// One connection.
extension ConnectionServer {
  private mutating func proceed(_ connection: Connection) {
    switch connection.state {
    // Those that drain have their turn after all others.
    case .deciding, .draining: break
    case .reading: read(connection)
    case .answering: connection.hasPeerClosed = true
    case .writing: write(connection)
    }
  }

  /// Has it watched, unless that is done already.
  private mutating func watch(_ connection: Connection, _ interest: Poller.Interest) {
    guard connection.interest != interest else { return }
    let isWatched =
      connection.interest == nil
      ? loop.poller.add(connection.descriptor, interest, id: connection.id)
      : loop.poller.change(connection.descriptor, interest, id: connection.id)
    connection.interest = interest
    if !isWatched { end(connection) }
  }

  private mutating func end(_ connection: Connection) {
    guard table[connection.id] === connection else { return }
    heldBytes -= connection.countedBytes
    if connection.interest != nil { loop.poller.remove(connection.descriptor) }
    Glibc.close(connection.descriptor)
    table.remove(connection)
  }

  private mutating func read(_ connection: Connection) {
    do throws(RequestError) {
      take(try connection.receive(into: &input), of: connection)
    } catch {
      refuse(connection, error)
    }
  }

  private mutating func take(_ step: Connection.Step, of connection: Connection) {
    switch step {
    case .wait(let interest):
      watch(connection, interest)
      countHeldBytes(of: connection)
    case .request(let request): answer(connection, request)
    case .written: startDraining(connection)
    case .end: end(connection)
    }
  }

  /// Counts what is kept for a connection, and ends the one with most when that is too much.
  private mutating func countHeldBytes(of connection: Connection) {
    guard table[connection.id] === connection else { return }
    heldBytes += connection.heldBytes - connection.countedBytes
    connection.countedBytes = connection.heldBytes
    while heldBytes > limits.maximumHeldBytes, let largest = table.largest {
      loop.onEvent(.refused(status: 503, reason: "too many bytes of unfinished requests are held"))
      end(largest)
    }
  }

  private mutating func answer(_ connection: Connection, _ request: LoopbackRequest) {
    connection.isHead = request.method == "HEAD"
    guard loop.hosts.contains(request.host) else {
      loop.onEvent(.refused(status: 421, reason: "a foreign Host header"))
      // RFC 9110 §15.5.20: this server is not the one that the request names.
      return respond(connection, loop.refuse(421, "This is not the host that you asked for.", request))
    }
    connection.state = .answering
    connection.reader = RequestReader(limits: limits)
    countHeldBytes(of: connection)
    set(connection, deadlineAfter: nil)
    handedOver.append(connection)
    start(connection) { [respond = loop.respond] in .response(await respond(request)) }
  }

  /// Answers what is not a request.
  private mutating func refuse(_ connection: Connection, _ error: RequestError) {
    guard let status = error.status else {
      loop.onEvent(.tlsHandshake)
      return end(connection)
    }
    loop.onEvent(.refused(status: status, reason: error.reason))
    respond(connection, loop.refuse(status, "The request was not understood: \(error.reason)."))
  }

  private mutating func respond(_ connection: Connection, _ response: LoopbackResponse) {
    connection.reader = RequestReader(limits: limits)
    connection.output = response.serialized(bodyless: connection.isHead)[...]
    connection.state = .writing
    set(connection, deadlineAfter: limits.responseTimeout)
    write(connection)
  }

  private mutating func write(_ connection: Connection) { take(connection.sendOutput(), of: connection) }

  /// Ends the sending half; what is closed while the peer still sends would be reset, and the response lost.
  private mutating func startDraining(_ connection: Connection) {
    countHeldBytes(of: connection)
    shutdown(connection.descriptor, Int32(SHUT_WR))
    connection.state = .draining
    set(connection, deadlineAfter: limits.drainTimeout)
    drain(connection)
  }

  private mutating func drain(_ connection: Connection) {
    take(connection.discardInput(limits: limits), of: connection)
  }
}
