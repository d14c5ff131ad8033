import FlyingSocks
import Foundation

/// The response to one HTTP request.
package struct WebResponse: Sendable {
  package var status: Int
  /// Names in lower case, in the order received.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  /// The body as a string.
  package var text: String { String(decoding: body, as: UTF8.self) }

  /// The first header field of that name; give it in lower case.
  package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// One HTTP/1.1 request on a connection of its own, sent exactly as given.
package enum WebClient {
  /// The most that is read of one response, in bytes; the provider's largest is 8 MiB.
  static let maximumResponseSize = 16 << 20

  /// Sends a request to a server on this computer and follows no redirect.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - address: An `http` address with a loopback host.
  ///   - headers: Further header fields.
  ///   - form: An encoded form for the body; nil sends none.
  /// - Returns: The response, whatever its status.
  /// - Throws: `ScriptedBrowserError`, or an error of the socket.
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

/// The parts of an `http` address on this computer.
struct WebAddress {
  /// Host and port as the `Host` field has them.
  var authority: String
  var host: String
  var port: UInt16
  /// Path and query, never empty.
  var target: String

  /// Reads an address.
  ///
  /// - Parameter text: `http` to a loopback host; a fragment stays with the browser and is dropped.
  /// - Throws: `ScriptedBrowserError.foreignAddress` for any other.
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

  /// Opens a connection; a busy machine may take long to schedule it.
  ///
  /// - Throws: `ScriptedBrowserError.unreachable` where nothing answers.
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

/// Why a ``ScriptedBrowser`` cannot go on.
package enum ScriptedBrowserError: Error, Equatable {
  /// The address is not on this computer.
  case foreignAddress(String)
  /// Nothing answers at this host and port.
  case unreachable(String)
  /// What came back is not HTTP, or only a part of it.
  case badResponse
  case tooManyRedirects
  /// The page that is named by its status, address and title has no such button in a form.
  case noButton(String, page: String)
}

extension ScriptedBrowserError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .foreignAddress(let text): "\(text) is not an address on this computer, such as http://127.0.0.1:8080/"
    case .unreachable(let authority): "nothing answers at \(authority)"
    case .badResponse: "what came back is not HTTP, or only a part of it"
    case .tooManyRedirects: "the pages redirect too often"
    case .noButton(let name, let page): "there is no button \(name) on the page \(page)"
    }
  }
}
