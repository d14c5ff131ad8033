import FlyingSocks
import Foundation
import Glibc
import Synchronization

/// A server on 127.0.0.1 that answers as its test says.
final class ScriptedServer: Sendable {
  /// One connection, from the server's side.
  struct Peer: Sendable {
    let file: Int32
    /// The request's head and body as received.
    let request: String

    @discardableResult
    func send(_ bytes: some Collection<UInt8>) -> Bool {
      var rest = Array(bytes)[...]
      while !rest.isEmpty {
        let sent = rest.withUnsafeBytes { Glibc.send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard sent > 0 else { return false }
        rest = rest.dropFirst(sent)
      }
      return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// A response with that body and its length.
    func answer(_ status: String = "200 OK", _ fields: [String] = [], body: some Collection<UInt8>) {
      let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + fields
      send(head.joined(separator: "\r\n") + "\r\n\r\n")
      send(body)
    }

    func answer(_ status: String = "200 OK", _ fields: [String] = [], _ body: String = "") {
      answer(status, fields, body: Array(body.utf8))
    }

    /// Blocks until the client is gone.
    func waitForClose() {
      var byte: UInt8 = 0
      while recv(file, &byte, 1, 0) > 0 {}
    }
  }

  private final class Seen: Sendable {
    let counts = Mutex<(connections: Int, requests: [String])>((0, []))
  }

  let port: Int
  private let socket: Socket
  private let seen = Seen()

  var url: String { "http://127.0.0.1:\(port)" }
  var requests: [String] { seen.counts.withLock { $0.requests } }
  var connections: Int { seen.counts.withLock { $0.connections } }

  /// Begins to listen on a port of the system's choice.
  ///
  /// - Parameter answer: Run on a thread of its own for each request.
  /// - Throws: When there is no socket or no port.
  init(_ answer: @escaping @Sendable (Peer) -> Void) throws {
    let socket = try Socket(domain: AF_INET, type: .stream)
    try socket.bind(to: sockaddr_in.inet(ip4: "127.0.0.1", port: 0))
    try socket.listen()
    guard case .ip4(_, let port) = try socket.sockname() else { throw CocoaError(.featureUnsupported) }
    self.socket = socket
    self.port = Int(port)
    Thread.detachNewThread { [seen] in
      while let (file, _) = try? socket.accept() {
        seen.counts.withLock { $0.connections += 1 }
        Thread.detachNewThread {
          while let request = Self.readRequest(file.rawValue) {
            seen.counts.withLock { $0.requests.append(request) }
            answer(Peer(file: file.rawValue, request: request))
          }
          // A child of another test may hold a copy of the descriptor.
          shutdown(file.rawValue, Int32(SHUT_RDWR))
          close(file.rawValue)
        }
      }
      try? socket.close()
    }
  }

  deinit {
    // Wakes the accepting thread, which closes the socket: closed here, its number could be another server's by then.
    shutdown(socket.file.rawValue, Int32(SHUT_RDWR))
  }

  private static func readRequest(_ file: Int32) -> String? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let text = String(decoding: bytes, as: UTF8.self)
      if let end = text.range(of: "\r\n\r\n") {
        let length = text.lowercased().components(separatedBy: "content-length: ").dropFirst().first
          .flatMap { Int($0.prefix { $0.isNumber && $0.isASCII }) }
        if text[end.upperBound...].utf8.count >= length ?? 0 { return text }
      }
      let count = recv(file, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      bytes += buffer.prefix(count)
    }
  }
}
