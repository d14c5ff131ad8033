internal import Glibc
internal import MSAuthCore

// A connection's states: reading, composing, writing, draining.
extension EventLoop {
  mutating func proceed(_ connection: Connection) {
    switch connection.state {
    case .reading: read(connection)
    case .composing: break
    case .writing: write(connection)
    case .draining: drain(connection)
    }
  }

  mutating func read(_ connection: Connection) {
    let count = recv(connection.descriptor, &input, input.count, 0)
    guard count > 0 else {
      // Peers that disconnect (browsers preconnect) get no response.
      if count == 0 || !isTemporary { end(connection) }
      return
    }
    if connection.reader.count == 0, input[0] == 0x16 {
      // A browser that prefers https begins a handshake here too (RFC 8446 §5.1).
      onEvent(.tlsHandshake)
      return end(connection)
    }
    do throws(RequestRejection) {
      guard let request = try connection.reader.read(input[..<count]) else { return }
      connection.request = request
      handle(request, of: connection)
    } catch {
      reject(connection, error)
    }
  }

  private mutating func handle(_ request: LoopbackRequest, of connection: Connection) {
    guard listener.hosts.contains(request.host) else {
      onEvent(.rejected(status: 421, reason: "its Host header is foreign"))
      return write(rejectionResponse(421, "This server doesn't serve that host.", request), to: connection)
    }
    connection.reader = RequestReader(limits: limits)
    connection.state = .composing
    // Runs on this thread until it first suspends.
    connection.task = Task.immediate { [respond, queue = listener.queue, id = connection.id] in
      let response = await respond(request)
      queue.post { $0.deliver(response, to: id) }
    }
    if isCanceled { connection.task?.cancel() }
  }

  /// The response to a request that doesn't reach ``respond``.
  func rejectionResponse(_ status: Int, _ text: String, _ request: LoopbackRequest? = nil) -> LoopbackResponse {
    rejection(status, request) ?? .text(status, text)
  }

  mutating func reject(_ connection: Connection, _ error: RequestRejection) {
    onEvent(.rejected(status: error.status, reason: error.reason))
    write(rejectionResponse(error.status, "The request isn't valid: \(error.reason)."), to: connection)
  }

  mutating func write(_ response: LoopbackResponse, to connection: Connection) {
    write(response.serialized(bodyless: connection.request?.method == "HEAD"), to: connection)
  }

  mutating func write(_ response: [UInt8], to connection: Connection) {
    connection.reader = RequestReader(limits: limits)
    connection.output = response[...]
    connection.state = .writing
    connection.deadline = now + limits.responseTimeout
    write(connection)
  }

  private mutating func write(_ connection: Connection) {
    while !connection.output.isEmpty {
      let count = connection.output.withUnsafeBytes {
        send(connection.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else {
        if !isTemporary { lose(connection) }
        return
      }
      connection.output = connection.output.dropFirst(count)
    }
    shutdown(connection.descriptor, Int32(SHUT_WR))
    connection.state = .draining
    connection.deadline = now + limits.drainTimeout
    drain(connection)
  }

  private mutating func drain(_ connection: Connection) {
    let count = discardInput(of: connection)
    if count > 0 {
      connection.drainedBytes += count
      if connection.drainedBytes >= limits.maximumDrainBytes { end(connection) }
    } else if count < 0 && !isTemporary || count == 0 && isReset(connection) {
      lose(connection)
    } else if count == 0 || connection.request != nil {
      // With nothing unread, closing doesn't reset the connection; a peer that sent a whole request sends no more.
      end(connection)
    }
  }

  /// Ends a connection that the peer reset, which means that it closed the connection instead of reading the response.
  private mutating func lose(_ connection: Connection) {
    connection.request?.disconnection.resume()
    end(connection)
  }

  /// Whether the peer reset the connection after its last byte, which only this option shows (socket(7)).
  private func isReset(_ connection: Connection) -> Bool {
    var error: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(connection.descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error != 0
  }

  /// Discards input without copying it (tcp(7)).
  private func discardInput(of connection: Connection) -> Int {
    recv(connection.descriptor, nil, limits.maximumHeadBytes, Int32(MSG_DONTWAIT | MSG_TRUNC))
  }

  mutating func end(_ connection: Connection) {
    // Closing with unread data would reset the connection, and the peer would lose the response.
    if connection.state == .draining { _ = discardInput(of: connection) }
    Glibc.close(connection.descriptor)
    if let index = connections.firstIndex(where: { $0 === connection }) { connections.remove(at: index) }
  }

  private var isTemporary: Bool { errno == EAGAIN || errno == EINTR }
}
