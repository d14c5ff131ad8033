internal import Core
internal import FlyingSocks
internal import FoundationEssentials
internal import Glibc

/// One connection, from its first byte to its last: one request, one response.
struct Connection: Sendable {
  let socket: AsyncSocket
  let service: Service

  private var listener: LoopbackListener { service.listener }
  private var limits: Limits { service.listener.limits }

  /// Reads the request, has it answered, and writes the answer; the caller closes the socket.
  func serve() async {
    if let user = otherUser() {
      service.notice(.otherUser(user))
      return await finish(.refusal(403, "This sign-in belongs to another user of this computer."))
    }
    guard let request = await readRequest() else { return }
    guard listener.allowedHosts.contains(request.host) else {
      service.notice(.refused(status: listener.foreignHostStatus, reason: "a foreign Host header"))
      return await finish(.foreignHost(listener.foreignHostStatus), bodyless: request.method == "HEAD")
    }
    service.table.set(.answering, for: socket.socket)
    let response = await answer(request)
    await finish(response, bodyless: request.method == "HEAD")
  }

  private func otherUser() -> UInt32? {
    guard let peer = LoopbackAddress(try? socket.socket.remotePeer()),
      let local = LoopbackAddress(try? socket.socket.sockname())
    else { return nil }
    return listener.peerOwner.stranger(at: peer, connectedTo: local)
  }

  /// The request, or nil when there was none; what there was instead has been answered then.
  private func readRequest() async -> LoopbackRequest? {
    let (limits, socket) = (limits, socket)
    let began = Began()
    let fault: RequestFault
    do {
      return try await withTimeout(limits.request) {
        var reader = RequestReader(limits: limits)
        while true {
          let bytes = try await socket.read(atMost: 4096)
          began.set()
          if let request = try reader.read(bytes) { return request }
        }
      }
    } catch let error as RequestFault {
      fault = error
    } catch is TimeoutError where began.isSet {
      fault = RequestFault(status: 408, reason: "it did not come in time")
    } catch {
      return nil
    }
    service.notice(fault.status.map { .refused(status: $0, reason: fault.reason) } ?? .spokeTLS)
    if let response = fault.response { await finish(response) }
    return nil
  }

  /// Waits for the answer, and notices meanwhile when the peer goes away.
  private func answer(_ request: LoopbackRequest) async -> LoopbackResponse {
    await withTaskGroup(of: LoopbackResponse?.self) { group in
      group.addTask { await service.respond(request) }
      group.addTask {
        // Nothing more is expected, so what comes is thrown away; the end may be the end of one direction only.
        await drain()
        if !Task.isCancelled { service.table.set(.idle, for: socket.socket) }
        return nil
      }
      defer { group.cancelAll() }
      while let result = await group.next() {
        if let response = result { return response }
      }
      return .refusal(500, "There is no answer.")
    }
  }

  private func finish(_ response: LoopbackResponse, bodyless: Bool = false) async {
    let socket = socket
    let bytes = Data(response.serialized(bodyless: bodyless))
    do {
      try await withTimeout(limits.response) { try await socket.write(bytes) }
      Glibc.shutdown(socket.socket.file.rawValue, Int32(SHUT_WR))
      service.table.set(.idle, for: socket.socket)
      try await withTimeout(limits.drain) { await drain() }
    } catch {
      // The peer is gone, or too slow for one on this machine: there is nobody to tell.
    }
  }

  private func drain() async {
    var left = limits.drainBytes
    while left > 0, let bytes = try? await socket.read(atMost: 4096) { left -= bytes.count }
  }
}

extension LoopbackAddress {
  init?(_ address: Socket.Address?) {
    switch address {
    case .ip4(_, let port): self.init(.ipv4, port: port)
    case .ip6(_, let port): self.init(.ipv6, port: port)
    case .unix, nil: return nil
    }
  }
}
