import FlyingSocks
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import MSAuthLoopback

/// A local peer that can send anything.
struct Browser: Sendable {
  let pool: SocketPool<Poll>
  let port: UInt16

  enum Address { case ipv4, ipv6 }

  func connect(_ address: Address = .ipv4) async throws -> AsyncSocket {
    switch address {
    case .ipv4: try await connect(to: .inet(ip4: "127.0.0.1", port: port) as sockaddr_in)
    case .ipv6: try await connect(to: .loopback(port: port) as sockaddr_in6)
    }
  }

  func connect(to address: some SocketAddress) async throws -> AsyncSocket {
    let socket = try AsyncSocket(socket: Socket(domain: Int32(type(of: address).family)), pool: pool)
    do {
      try await socket.connect(to: address)
      // Reports a delayed connection error.
      _ = try socket.socket.remotePeer()
    } catch {
      try? socket.close()
      throw error
    }
    return socket
  }

  /// Sends a text on a new connection, and returns the response until the peer closes; `finishes` closes the sending side.
  func exchange(_ request: String, over address: Address = .ipv4, finishes: Bool = false) async throws -> String {
    let socket = try await connect(address)
    defer { try? socket.close() }
    // The peer may have responded and closed before reading everything.
    try? await socket.write(request)
    if finishes { shutdown(socket.socket.file.rawValue, Int32(SHUT_WR)) }
    return await rest(of: socket)
  }

  func rest(of socket: AsyncSocket) async -> String {
    var received: [UInt8] = []
    while let bytes = try? await socket.read(atMost: 4096) { received += bytes }
    return String(decoding: received, as: UTF8.self)
  }

  func get(_ target: String, over address: Address = .ipv4) async throws -> String {
    try await exchange(request(target), over: address)
  }

  func request(_ target: String = "/") -> String { "GET \(target) HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n" }
}

extension AsyncSocket {
  func write(_ text: String) async throws { try await write(Data(text.utf8)) }
}

extension ListenerLimits {
  /// Timeouts that a busy machine doesn't reach.
  static var patient: ListenerLimits { patient { _ in } }

  static func patient(_ change: (inout ListenerLimits) -> Void) -> ListenerLimits {
    var limits = ListenerLimits()
    limits.requestTimeout = .seconds(3600)
    limits.responseTimeout = .seconds(3600)
    change(&limits)
    return limits
  }
}

/// Collects what a listener reports.
final class EventLog: Sendable {
  private let log = Mutex<[LoopbackListener.Event]>([])

  var events: [LoopbackListener.Event] { log.withLock { $0 } }

  func add(_ event: LoopbackListener.Event) { log.withLock { $0.append(event) } }
}

/// Runs a browser during the body.
func withBrowser<Value: Sendable>(port: UInt16, _ body: (Browser) async throws -> Value) async throws -> Value {
  let pool = SocketPool(queue: Poll(interval: .seconds(0.001)))
  try await pool.prepare()
  async let _: Void = pool.run()
  return try await body(Browser(pool: pool, port: port))
}

/// Runs a listener and a browser during the body.
func withListener<Value: Sendable>(
  _ host: LoopbackHost = .localhost,
  limits: ListenerLimits = .patient,
  peerCheck: PeerCheck = .unchecked,
  onEvent: @escaping @Sendable (LoopbackListener.Event) -> Void = { _ in },
  respond: @escaping @Sendable (LoopbackRequest) async -> LoopbackResponse = { .text(200, "\($0)") },
  _ body: (LoopbackListener, Browser) async throws -> Value
) async throws -> Value {
  let listener = try LoopbackListener(host, limits: limits, peerCheck: peerCheck)
  async let _: Void = listener.run(onEvent: onEvent, respond)
  return try await withBrowser(port: listener.port) { try await body(listener, $0) }
}

extension String {
  /// `nil` for an empty response.
  var status: Int? { split(separator: " ").dropFirst().first.flatMap { Int($0) } }

  /// Names in lowercase.
  var headers: [(name: String, value: String)] {
    let head = split(separator: "\r\n\r\n", maxSplits: 1).first ?? ""
    return head.split(separator: "\r\n").dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      return (parts[0].lowercased(), parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
    }
  }

  func header(_ name: String) -> [String] {
    headers.filter { $0.name == name.lowercased() }.map(\.value)
  }
}

/// Retries with longer request timeouts, for busy machines.
func withGrowingTimeouts(until expected: Int, _ exchange: (ListenerLimits) async throws -> Int?) async throws -> Int? {
  var limits = ListenerLimits()
  var status: Int?
  for seconds in [1, 8, 64] {
    limits.requestTimeout = .seconds(seconds)
    status = try await exchange(limits)
    if status == expected { break }
  }
  return status
}
