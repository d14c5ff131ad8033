internal import Core
internal import FlyingSocks
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// One connection: one request, one response.
final class Connection: Sendable {
  private let socket: AsyncSocket
  private let loop: AcceptLoop
  private let isAdmitted: Bool
  private let hasReceivedBytes = Atomic(false)

  private var limits: Limits { loop.limits }

  /// - Parameters:
  ///   - socket: The connection.
  ///   - loop: Who accepted it.
  ///   - isAdmitted: Whether its peer is known to be one that may be served.
  init(socket: AsyncSocket, loop: AcceptLoop, isAdmitted: Bool) {
    self.socket = socket
    self.loop = loop
    self.isAdmitted = isAdmitted
  }

  /// Reads the request, has it answered, and writes the response; the caller closes the socket.
  func serve() async {
    if !isAdmitted, case .refused(let event) = await loop.decision(on: socket.socket) {
      loop.onEvent(event)
      return await finish(loop.foreignUser)
    }
    guard let request = await readRequest() else { return }
    let isHead = request.method == "HEAD"
    guard loop.hosts.contains(request.host) else {
      loop.onEvent(.refused(status: 421, reason: "a foreign Host header"))
      // RFC 9110 §15.5.20: this server is not the one that the request names.
      return await finish(loop.refuse(421, "This is not the host that you asked for.", request), bodyless: isHead)
    }
    loop.limiter.set(.answering, for: socket.socket)
    await finish(await answer(request), bodyless: isHead)
  }

  /// Reads the request; nil when there was none, after an error response where one is due.
  private func readRequest() async -> LoopbackRequest? {
    let error: RequestError
    do {
      return try await withTimeout(limits.requestTimeout) { [self] in
        var reader = RequestReader(limits: limits)
        while true {
          let bytes = try await socket.read(atMost: 4096)
          hasReceivedBytes.store(true, ordering: .relaxed)
          if let request = try reader.read(bytes) { return request }
        }
      }
    } catch let requestError as RequestError {
      error = requestError
    } catch is TimeoutError where hasReceivedBytes.load(ordering: .relaxed) {
      error = RequestError(status: 408, reason: "it did not come in time")
    } catch {
      // A browser that connects in advance disconnects without having sent anything.
      return nil
    }
    guard let status = error.status else {
      loop.onEvent(.tlsHandshake)
      return nil
    }
    loop.onEvent(.refused(status: status, reason: error.reason))
    await finish(loop.refuse(status, "The request was not understood: \(error.reason)."))
    return nil
  }

  /// Waits for the response, and notices meanwhile when the peer disconnects.
  private func answer(_ request: LoopbackRequest) async -> LoopbackResponse {
    await withTaskGroup(of: LoopbackResponse?.self) { [self] group in
      group.addTask { await self.loop.respond(request) }
      group.addTask {
        // Nothing more is expected and what comes is discarded; the end may be that of one direction only.
        await self.drain()
        if !Task.isCancelled { self.loop.limiter.set(.readClosed, for: self.socket.socket) }
        return nil
      }
      defer { group.cancelAll() }
      while let result = await group.next() {
        if let response = result { return response }
      }
      return loop.refuse(500, "There is no answer.", request)
    }
  }

  private func finish(_ response: LoopbackResponse, bodyless: Bool = false) async {
    let bytes = Data(response.serialized(bodyless: bodyless))
    do {
      try await withTimeout(limits.responseTimeout) { [socket] in try await socket.write(bytes) }
      Glibc.shutdown(socket.socket.file.rawValue, Int32(SHUT_WR))
      loop.limiter.set(.idle, for: socket.socket)
      try await withTimeout(limits.drainTimeout) { await self.drain() }
    } catch {
      // The peer has disconnected, or is too slow for one on this machine.
    }
  }

  private func drain() async {
    var left = limits.maximumDrainBytes
    while left > 0, let bytes = try? await socket.read(atMost: 4096) { left -= bytes.count }
  }
}
