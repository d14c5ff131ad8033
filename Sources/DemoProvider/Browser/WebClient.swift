import FlyingSocks
import Foundation

package struct WebResponse: Sendable {
  package var status: Int
  /// With lowercase names, in the order received.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  package var text: String { String(decoding: body, as: UTF8.self) }

  /// Expects a lowercase name.
  package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// Sends HTTP/1.1 requests exactly as given, each on its own connection.
package enum WebClient {
  /// In bytes; the provider's largest response is 8 MiB.
  static let maximumResponseSize = 16 << 20

  /// Sends a request to a loopback address without following redirects.
  package static func send(
    _ method: String,
    _ address: String,
    headers: [(name: String, value: String)] = [],
    form: String? = nil
  ) async throws -> WebResponse {
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

  private static func read(_ socket: AsyncSocket) async throws -> WebResponse {
    var bytes: [UInt8] = []
    let blank = Array("\r\n\r\n".utf8)
    var response: (value: WebResponse, length: Int?)?
    while bytes.count < maximumResponseSize {
      let more: [UInt8]
      do {
        more = try await socket.read(atMost: 65_536)
      } catch SocketError.disconnected {
        break
      }
      bytes += more
      if response == nil, let end = bytes.firstRange(of: blank) {
        response = try parse(head: bytes[..<end.lowerBound])
        bytes.removeSubrange(..<end.upperBound)
      }
      if let length = response?.length, bytes.count >= length { break }
    }
    guard var value = response?.value, bytes.count >= response?.length ?? 0 else {
      throw ScriptedBrowserError.badResponse
    }
    value.body = bytes
    return value
  }

  private static func parse(head: ArraySlice<UInt8>) throws(ScriptedBrowserError) -> (WebResponse, Int?) {
    var lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")[...]
    guard let start = lines.popFirst()?.split(separator: " "), start.count >= 2, let status = Int(start[1]) else {
      throw .badResponse
    }
    let headers = lines.compactMap { line -> (name: String, value: String)? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      return (line[..<colon].lowercased(), line[colon...].dropFirst().trimmingCharacters(in: .whitespaces))
    }
    let response = WebResponse(status: status, headers: headers, body: [])
    return (response, response.header("content-length").flatMap { Int($0) })
  }
}

/// A loopback `http` address.
struct WebAddress {
  /// As in the `Host` field.
  var authority: String
  var host: String
  var port: UInt16
  /// Path and query.
  var target: String

  init(_ text: String) throws(ScriptedBrowserError) {
    guard let parts = URLComponents(string: text), parts.scheme == "http", let host = parts.host,
      ["127.0.0.1", "localhost", "[::1]", "::1"].contains(host)
    else { throw .foreignAddress(text) }
    self.host = host
    port = UInt16(clamping: parts.port ?? 80)
    authority = (host == "::1" ? "[::1]" : host) + (parts.port.map { ":\($0)" } ?? "")
    target =
      (parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath)
      + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
  }

  func connect() async throws -> AsyncSocket {
    do {
      return host.contains(":")
        ? try await .connected(to: .inet6(ip6: "::1", port: port), timeout: 60)
        : try await .connected(to: .inet(ip4: "127.0.0.1", port: port), timeout: 60)
    } catch is SocketError {
      throw ScriptedBrowserError.unreachable(authority)
    }
  }
}

package enum ScriptedBrowserError: Error, Equatable {
  case foreignAddress(String)
  case unreachable(String)
  case badResponse
  case tooManyRedirects
  /// The page is described by its status, address and title.
  case noButton(String, page: String)
}

extension ScriptedBrowserError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .foreignAddress(let text): "\(text) isn't a loopback address such as http://127.0.0.1:8080/"
    case .unreachable(let authority): "nothing is listening at \(authority)"
    case .badResponse: "the response is incomplete or isn't HTTP"
    case .tooManyRedirects: "too many redirects"
    case .noButton(let name, let page): "the page has no button \(name): \(page)"
    }
  }
}
