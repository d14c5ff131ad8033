import MSAuthCore
import Synchronization
import TestSupport

struct ReceivedMessage: Sendable {
  var method = ""
  var id: JSONValue?

  var isRequest: Bool { id != nil }
  var response: String {
    let result =
      method == "initialize" ? #"{"protocolVersion":"2025-06-18","capabilities":{}}"# : "{\"method\":\"\(method)\"}"
    return "{\"jsonrpc\":\"2.0\",\"id\":\(id?.serializedString() ?? "null"),\"result\":\(result)}"
  }
}

enum WellKnownPath {
  static let issuer = "/.well-known/oauth-authorization-server"
  static let resource = "/.well-known/oauth-protected-resource/mcp"
}

/// Another response than the server's; `nil` for the server's.
typealias MCPDeviation = @Sendable (_ path: String, _ request: String, _ origin: String) -> MCPResponse?

/// An MCP server at `/mcp`, with tokens also an authorization server that registers and accepts every client.
final class ScriptedMCPServer: Sendable {
  private let server: ScriptedServer

  var url: String { server.url + "/mcp" }
  var port: UInt16 { server.port }
  var requests: [String] { server.rawRequests }
  /// The scopes of each authorization request.
  var requestedScopes: [String] {
    requests(to: "GET /authorize").map { FormFields.query(of: String($0.split(separator: " ")[1]))["scope"] ?? "" }
  }

  /// `respond` handles requests, with a token if required; `nil` is a 401; `deviation` may respond first.
  init(
    tokens: Bool = false,
    issuerHost: String = "127.0.0.1",
    deviation: @escaping MCPDeviation = { _, _, _ in nil },
    _ respond: @escaping @Sendable (ReceivedMessage, String) -> MCPResponse?
  ) throws {
    let count = Mutex(0)
    server = try ScriptedServer { peer in
      let request = peer.request
      let origin = "http://" + (request.firstMatch(of: /(?i)\r\nhost: *([^\r]+)/).map { String($0.1) } ?? "")
      let path = request.split(separator: " ").dropFirst().first ?? ""
      if let response = deviation(String(path), request, origin) { return Self.send(response, to: peer) }
      if path.hasPrefix("/mcp") {
        let challenge = "WWW-Authenticate: Bearer scope=\"first\""
        guard !tokens || request.contains("Authorization: Bearer token-") else {
          return peer.respond("401 Unauthorized", [challenge])
        }
        let body = request.split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().first ?? "{}"
        let members = try? JSONValue(parsing: Array(body.utf8)).object
        let message = ReceivedMessage(method: members?["method"]?.string ?? "", id: members?["id"])
        return Self.send(respond(message, request) ?? .status("401 Unauthorized", [challenge]), to: peer)
      }
      let response: MCPResponse =
        switch path.prefix(while: { $0 != "?" }) {
        case WellKnownPath.resource:
          .resourceMetadata(origin, issuer: origin.replacing("127.0.0.1", with: issuerHost))
        case WellKnownPath.issuer: .issuerMetadata(origin, #", "scopes_supported": ["offline_access"]"#)
        case "/register": .registration("c", origin, #", "client_secret": "hush""#)
        case "/register/c": .status("204 No Content")
        case "/authorize":
          .redirect(
            from: String(path),
            FormFields.query(of: String(path))["scope"]?.contains("deny") == true ? "error=access_denied" : "code=1"
          )
        case "/token":
          .json(#"{"access_token": "token-\#(count.next())", "token_type": "Bearer", "expires_in": 3600}"#)
        default: .status("404 Not Found")
        }
      Self.send(response, to: peer)
    }
  }

  /// The requests that start with a method and a path.
  func requests(to prefix: String) -> [String] { requests.filter { $0.hasPrefix(prefix) } }

  /// With tokens, and a result for every message.
  static func accepting(
    issuerHost: String = "127.0.0.1",
    _ deviation: @escaping MCPDeviation = { _, _, _ in nil }
  ) throws -> ScriptedMCPServer {
    try ScriptedMCPServer(tokens: true, issuerHost: issuerHost, deviation: deviation) { message, _ in
      .json(message.response)
    }
  }

  /// The responses to requests of some paths.
  static func responses(_ responses: [String: @Sendable (_ origin: String) -> MCPResponse]) -> MCPDeviation {
    { path, _, origin in responses[path]?(origin) }
  }

  /// Registers the clients `c1`, `c2` and so on, which can be deleted.
  static func countingRegistrations() -> MCPDeviation {
    let count = Mutex(0)
    return { path, _, origin in
      guard path == "/register" else { return path.hasPrefix("/register/") ? .status("204 No Content") : nil }
      return .registration("c\(count.next())", origin)
    }
  }

  private static func send(_ response: MCPResponse, to peer: ScriptedServer.Peer) {
    let head = ["HTTP/1.1 200 OK", "Content-Type: text/event-stream", "Connection: close"]
    let stream = { (fields: [String]) in (head + fields + ["", ""]).joined(separator: "\r\n") }
    switch response {
    case .json(let body, let fields): peer.respond("200 OK", ["Content-Type: application/json"] + fields, body)
    case .status(let status, let fields, let body): peer.respond(status, fields, body)
    case .stream(let events, let fields):
      peer.send(stream(fields) + events)
      peer.disconnect()
    case .never(let onClose):
      peer.waitForClose()
      onClose()
    case .open(let events):
      peer.send(stream([]) + events)
      peer.waitForClose()
    case .endless(let event):
      peer.send(stream([]))
      while peer.send(event) {}
    }
  }
}
