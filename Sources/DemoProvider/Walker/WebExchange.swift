import FlyingSocks
import Foundation

/// What came back from one HTTP request.
package struct WebReply: Sendable {
  package var status: Int
  /// Names in lower case, in the order received.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  /// The body as text.
  package var text: String { String(decoding: body, as: UTF8.self) }

  /// The first header field of that name; give it in lower case.
  package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// One HTTP/1.1 request on a connection of its own, sent exactly as given.
package enum WebExchange {
  /// What is read of one reply at most, in bytes; the largest that the provider makes is 8 MiB.
  static let largestReply = 16 << 20

  /// Sends a request to a server on this computer and follows no redirect.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - address: An `http` address with a loopback host.
  ///   - headers: Further header fields.
  ///   - form: An encoded form for the body; nil sends none.
  /// - Returns: The reply, whatever its status.
  /// - Throws: `WalkError`, or what the socket throws.
  package static func send(
    _ method: String,
    _ address: String,
    headers: [(name: String, value: String)] = [],
    form: String? = nil
  ) async throws -> WebReply {
    let target = try WebAddress(address)
    var fields = [("Host", target.authority), ("Connection", "close")] + headers
    if let form {
      fields += [("Content-Type", "application/x-www-form-urlencoded"), ("Content-Length", "\(form.utf8.count)")]
    }
    let head = ["\(method) \(target.target) HTTP/1.1"] + fields.map { "\($0.0): \($0.1)" }
    let socket = try await target.connect()
    defer { try? socket.close() }
    try await socket.write(Data((head.joined(separator: "\r\n") + "\r\n\r\n" + (form ?? "")).utf8))
    return try await read(socket)
  }

  private static func read(_ socket: AsyncSocket) async throws -> WebReply {
    var bytes: [UInt8] = []
    let blank = Array("\r\n\r\n".utf8)
    var reply: (value: WebReply, length: Int?)?
    while bytes.count < largestReply {
      let more: [UInt8]
      do {
        more = try await socket.read(atMost: 65_536)
      } catch SocketError.disconnected {
        break
      }
      bytes += more
      if reply == nil, let end = bytes.firstRange(of: blank) {
        reply = try parse(head: bytes[..<end.lowerBound])
        bytes.removeSubrange(..<end.upperBound)
      }
      if let length = reply?.length, bytes.count >= length { break }
    }
    guard var value = reply?.value else { throw WalkError.badResponse }
    value.body = bytes
    return value
  }

  private static func parse(head: ArraySlice<UInt8>) throws(WalkError) -> (WebReply, Int?) {
    var lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")[...]
    guard let start = lines.popFirst()?.split(separator: " "), start.count >= 2, let status = Int(start[1]) else {
      throw .badResponse
    }
    let headers = lines.compactMap { line -> (name: String, value: String)? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      return (line[..<colon].lowercased(), line[colon...].dropFirst().trimmingCharacters(in: .whitespaces))
    }
    let reply = WebReply(status: status, headers: headers, body: [])
    return (reply, reply.header("content-length").flatMap { Int($0) })
  }
}
