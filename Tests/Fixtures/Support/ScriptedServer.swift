import Synchronization

/// An HTTP server on 127.0.0.1 with scripted responses, including invalid ones.
package final class ScriptedServer: Sendable {
  package struct Request: Sendable {
    package let method: String
    package let path: String
    package let query: [String: String]
    package let form: [String: String]
    package let body: String
  }

  package struct Response: Sendable {
    package var status: Int
    package var headers: [String: String]
    package var body: String

    package init(_ status: Int, _ body: String = "", headers: [String: String] = [:]) {
      (self.status, self.headers, self.body) = (status, headers, body)
    }

    package static func json(_ body: String, status: Int = 200) -> Response {
      Response(status, body, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"])
    }

    package static func page(_ title: String, _ body: String) -> Response {
      Response(
        200,
        "<!doctype html><html lang=en><title>\(title)</title><body>\(body)</body></html>",
        headers: ["Content-Type": "text/html; charset=utf-8"]
      )
    }
  }

  /// A client that waits for a response.
  package struct Peer: Sendable {
    /// The request's head and body as received.
    package let request: String
    fileprivate let connection: TCPConnection

    /// Sends bytes unchanged; false if the client disconnected.
    @discardableResult
    package func send(_ bytes: some Collection<UInt8>) -> Bool { (try? connection.send(bytes)) != nil }

    @discardableResult
    package func send(_ string: String) -> Bool { send(Array(string.utf8)) }

    /// Sends a response with a body and its length.
    package func respond(_ status: String = "200 OK", _ fields: [String] = [], body: some Collection<UInt8>) {
      let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + fields
      send(head.joined(separator: "\r\n") + "\r\n\r\n")
      send(body)
    }

    package func respond(_ status: String = "200 OK", _ fields: [String] = [], _ body: String = "") {
      respond(status, fields, body: Array(body.utf8))
    }

    /// Ends the response; the client may still send.
    package func finishSending() { connection.finishSending() }

    package func disconnect() { connection.shutDown() }

    /// Blocks until the client disconnects.
    package func waitForClose() {
      while let more = try? connection.receive(), !more.isEmpty {}
    }
  }

  private struct Log {
    var connections = 0
    var requests: [String] = []
  }

  private let listener: LocalListener
  private let log = Mutex(Log())

  package var port: UInt16 { listener.port }
  package var url: String { "http://127.0.0.1:\(port)" }
  package var connections: Int { log.withLock { $0.connections } }
  /// Head and body as received.
  package var rawRequests: [String] { log.withLock { $0.requests } }
  package var requests: [Request] { rawRequests.map(Self.parse) }
  /// The requests' `Authorization` fields.
  package var authorizations: [Substring] {
    rawRequests.flatMap { $0.split(separator: "\r\n") }.filter { $0.lowercased().hasPrefix("authorization: ") }
      .map { $0.dropFirst(15) }
  }

  /// Serves persistent connections, with a thread per request.
  package convenience init(_ respond: @escaping @Sendable (Peer) -> Void) throws {
    self.init(on: try LocalListener(), respond)
  }

  private init(on listener: LocalListener, _ respond: @escaping @Sendable (Peer) -> Void) {
    self.listener = listener
    Thread.detachNewThread { [weak self] in
      while let connection = listener.accept() {
        self?.log.withLock { $0.connections += 1 }
        Thread.detachNewThread { [weak self] in
          while let message = try? connection.receiveMessage(endsWithConnection: false) {
            let request = message.head + "\r\n\r\n" + message.body
            self?.log.withLock { $0.requests.append(request) }
            respond(Peer(request: request, connection: connection))
          }
          connection.shutDown()
        }
      }
    }
  }

  /// Serves one response per connection.
  package convenience init(_ respond: @escaping @Sendable (Request, String) -> Response) throws {
    let listener = try LocalListener()
    self.init(on: listener) { peer in
      let response = respond(Self.parse(peer.request), "http://127.0.0.1:\(listener.port)")
      let fields = ["Connection: close"] + response.headers.map { "\($0.key): \($0.value)" }
      peer.respond("\(response.status) Scripted", fields, response.body)
      peer.disconnect()
    }
  }

  deinit {
    listener.shutDown()
  }

  private static func parse(_ request: String) -> Request {
    let line = request.prefix { $0 != "\r\n" }.split(separator: " ")
    let target = line.count > 1 ? String(line[1]) : ""
    let body = request.firstRange(of: "\r\n\r\n").map { request[$0.upperBound...] } ?? ""
    return Request(
      method: line.first.map(String.init) ?? "",
      path: String(target.prefix { $0 != "?" }),
      query: FormFields.query(of: target),
      form: FormFields.decode(body),
      body: String(body)
    )
  }
}

/// A provider with valid metadata and scripted endpoints.
package enum ScriptedProvider {
  package static func start(
    metadata: String = "",
    headers: [String: String] = [:],
    token: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Response = { _ in .init(500) },
    authorize: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Response = { _ in .init(404) }
  ) throws -> ScriptedServer {
    try ScriptedServer { request, base in
      switch request.path {
      case "/.well-known/openid-configuration":
        .init(
          200,
          """
          {\(metadata) "issuer": "\(base)", "authorization_endpoint": "\(base)/authorize",
           "token_endpoint": "\(base)/token", "jwks_uri": "\(base)/keys",
           "response_types_supported": ["code"], "response_modes_supported": ["query", "form_post"],
           "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
           "code_challenge_methods_supported": ["S256"]}
          """,
          headers: headers.merging(["Content-Type": "application/json"]) { own, _ in own }
        )
      case "/authorize": authorize(request)
      case "/keys": .json(#"{"keys": []}"#)
      case "/token": token(request)
      default: .init(404)
      }
    }
  }
}
