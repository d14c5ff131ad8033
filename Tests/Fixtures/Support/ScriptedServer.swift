import Foundation
import Synchronization

/// A web server that says what a test tells it to, for what no proper provider would say.
package final class ScriptedServer: Sendable {
  /// A request as it came.
  package struct Request: Sendable {
    package let method: String
    package let path: String
    package let query: [String: String]
    package let form: [String: String]
  }

  /// What to answer.
  package struct Reply: Sendable {
    package var status: Int
    package var headers: [String: String]
    package var body: String

    /// Makes an answer.
    package init(_ status: Int, _ body: String = "", headers: [String: String] = [:]) {
      self.status = status
      self.headers = headers
      self.body = body
    }

    /// A JSON answer.
    package static func json(_ body: String, status: Int = 200) -> Reply {
      Reply(status, body, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"])
    }

    /// An HTML page.
    package static func page(_ title: String, _ body: String) -> Reply {
      Reply(
        200,
        "<!doctype html><html lang=en><title>\(title)</title><body>\(body)</body></html>",
        headers: ["Content-Type": "text/html; charset=utf-8"]
      )
    }
  }

  private let listener: LocalListener
  private let log = Mutex<[Request]>([])

  /// `http://127.0.0.1:PORT`.
  package let base: String

  /// Starts to serve.
  ///
  /// - Parameter answer: What to answer, given the request and the server's own ``base``.
  /// - Throws: ``TestFailure`` when no port is to be had.
  package init(_ answer: @escaping @Sendable (Request, String) -> Reply) throws {
    let listener = try LocalListener()
    let base = "http://127.0.0.1:\(listener.port)"
    self.listener = listener
    self.base = base
    Task { [weak self] in
      try await blocking { [weak self] in
        while let connection = listener.accept() {
          Thread.detachNewThread { [weak self] in
            guard let request = try? Self.read(from: connection) else { return }
            self?.log.withLock { $0.append(request) }
            try? connection.send(Self.bytes(of: answer(request, base)))
          }
        }
      }
    }
  }

  deinit {
    listener.shutDown()
  }

  /// What it was asked so far.
  package var requests: [Request] { log.withLock { $0 } }

  private static func read(from connection: TCPConnection) throws -> Request {
    var bytes: [UInt8] = []
    let separator = Array("\r\n\r\n".utf8)
    while true {
      if let end = bytes.firstRange(of: separator) {
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let length =
          lines.first { $0.lowercased().hasPrefix("content-length:") }
          .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
        if bytes.count - end.upperBound >= length {
          let words = lines[0].split(separator: " ").map(String.init)
          guard words.count == 3 else { throw TestFailure("not a request line: \(lines[0])") }
          return Request(
            method: words[0],
            path: String(words[1].prefix { $0 != "?" }),
            query: FormText.query(of: words[1]),
            form: FormText.decode(String(decoding: bytes[end.upperBound...], as: UTF8.self))
          )
        }
      }
      let more = try connection.receive()
      if more.isEmpty { throw TestFailure("the request ended early") }
      bytes += more
    }
  }

  private static func bytes(of reply: Reply) -> [UInt8] {
    var head = "HTTP/1.1 \(reply.status) Scripted\r\nConnection: close\r\nContent-Length: \(reply.body.utf8.count)\r\n"
    for (name, value) in reply.headers { head += "\(name): \(value)\r\n" }
    return Array((head + "\r\n" + reply.body).utf8)
  }
}
