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

enum MCPAnswer: Sendable {
  case json(String, [String] = [])
  case stream(String, [String] = [])
  /// Nothing until the client disconnects.
  case never(then: @Sendable () -> Void = {})
  /// Repeats an event until the client disconnects.
  case endless(String)
  case status(String, [String] = [], String = "")
}

/// An MCP server at `/mcp`, with tokens also an authorization server that registers and accepts every client.
final class ScriptedMCPServer: Sendable {
  private let server: ScriptedServer

  var url: String { server.url + "/mcp" }
  var requests: [String] { server.rawRequests }

  /// `answer` responds to requests with a token, if required; `nil` is a 401; `deviation` may respond first.
  init(
    tokens: Bool = false,
    issuerHost: String = "127.0.0.1",
    deviation: @escaping @Sendable (_ path: String, _ request: String, _ origin: String) -> MCPAnswer? = { _, _, _ in
      nil
    },
    _ answer: @escaping @Sendable (ReceivedMessage, String) -> MCPAnswer?
  ) throws {
    let count = Mutex(0)
    server = try ScriptedServer { peer in
      let request = peer.request
      let origin = "http://" + (request.firstMatch(of: /(?i)\r\nhost: *([^\r]+)/).map { String($0.1) } ?? "")
      let path = request.split(separator: " ").dropFirst().first ?? ""
      if let answer = deviation(String(path), request, origin) { return Self.send(answer, to: peer) }
      if path.hasPrefix("/mcp") {
        let challenge = "WWW-Authenticate: Bearer scope=\"first\""
        guard !tokens || request.contains("Authorization: Bearer token-") else {
          return peer.answer("401 Unauthorized", [challenge])
        }
        let body = request.split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().first ?? "{}"
        let members = try? JSONValue(parsing: Array(body.utf8)).object
        let message = ReceivedMessage(method: members?["method"]?.string ?? "", id: members?["id"])
        return Self.send(answer(message, request) ?? .status("401 Unauthorized", [challenge]), to: peer)
      }
      let json = ["Content-Type: application/json"]
      switch path.prefix(while: { $0 != "?" }) {
      case "/.well-known/oauth-protected-resource/mcp":
        let issuer = origin.replacing("127.0.0.1", with: issuerHost)
        peer.answer("200 OK", json, #"{"resource": "\#(origin)/mcp", "authorization_servers": ["\#(issuer)"]}"#)
      case "/.well-known/oauth-authorization-server":
        let metadata = """
          {"issuer": "\(origin)", "authorization_endpoint": "\(origin)/authorize", "token_endpoint": "\(origin)/token",
          "registration_endpoint": "\(origin)/register", "code_challenge_methods_supported": ["S256"],
          "scopes_supported": ["offline_access"]}
          """
        peer.answer("200 OK", json, metadata)
      case "/register":
        let client = """
          {"client_id": "c", "client_secret": "hush", "registration_client_uri": "\(origin)/register/c",
          "registration_access_token": "manage"}
          """
        peer.answer("201 Created", json, client)
      case "/register/c": peer.answer("204 No Content")
      case "/authorize":
        let query = FormFields.query(of: String(path))
        let response = query["scope"]?.contains("deny") == true ? "error=access_denied" : "code=1"
        let location = "\(query["redirect_uri"] ?? "")?\(response)&state=\(query["state"] ?? "")"
        peer.answer("302 Found", ["Location: \(location)"])
      case "/token":
        let number = count.next()
        peer.answer(
          "200 OK",
          json,
          #"{"access_token": "token-\#(number)", "token_type": "Bearer", "expires_in": 3600}"#
        )
      default: peer.answer("404 Not Found")
      }
    }
  }

  private static func send(_ answer: MCPAnswer, to peer: ScriptedServer.Peer) {
    let head = ["HTTP/1.1 200 OK", "Content-Type: text/event-stream", "Connection: close"]
    let stream = { (fields: [String]) in (head + fields + ["", ""]).joined(separator: "\r\n") }
    switch answer {
    case .json(let body, let fields): peer.answer("200 OK", ["Content-Type: application/json"] + fields, body)
    case .status(let status, let fields, let body): peer.answer(status, fields, body)
    case .stream(let events, let fields):
      peer.send(stream(fields) + events)
      peer.disconnect()
    case .never(let onClose):
      peer.waitForClose()
      onClose()
    case .endless(let event):
      peer.send(stream([]))
      while peer.send(event) {}
    }
  }
}
