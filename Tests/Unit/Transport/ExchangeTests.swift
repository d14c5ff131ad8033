@testable import MSAuthTransport
import Synchronization
import TestSupport
import Testing

@Suite struct ExchangeTests {
  /// On a busy machine, more than the default may pass between two requests.
  private static let patient: TransferLimits = {
    var limits = TransferLimits(connect: .seconds(60), total: .seconds(120))
    limits.idle = .seconds(600)
    return limits
  }()

  @Test("a GET returns status, headers and body")
  func get() async throws {
    let server = try ScriptedServer {
      $0.respond("201 Created", ["X-One: 1", "content-type:application/json; a=b"], "{}")
    }
    let response = try await transport().send(HTTPRequest(.get, server.url + "/a?b=c", headers: [("Accept", "text/x")]))
    #expect(response.status == 201 && response.header("x-one") == "1" && response.mediaType == "application/json")
    #expect(response.body == Array("{}".utf8))
    let request = try #require(server.rawRequests.first)
    #expect(request.hasPrefix("GET /a?b=c HTTP/1.1\r\n") && !request.contains("Authorization"))
    for part in ["\r\nUser-Agent: msauth/0.0\r\n", "\r\nAccept: text/x\r\n", "gzip"] { #expect(request.contains(part)) }
  }

  @Test("a POST sends its body, bearer token and media type, without Expect")
  func post() async throws {
    let server = try ScriptedServer { $0.respond() }
    let body = String(repeating: "a", count: 5000)
    _ = try await transport().send(
      HTTPRequest(
        .post,
        server.url + "/token",
        headers: [("Content-Type", "application/json"), ("X-Empty", "")],
        authorization: ("Bearer", Secret("tok.en")),
        body: Secret(body)
      )
    )
    let request = try #require(server.rawRequests.first)
    #expect(request.hasSuffix("\r\n\r\n" + body) && !request.contains("Expect"))
    for field in ["Authorization: Bearer tok.en\r\n", "Content-Type: application/json\r\n", "X-Empty:"] {
      #expect(request.contains("\r\n" + field))
    }
  }

  @Test("a bound token is sent with its own scheme")
  func boundToken() async throws {
    let server = try ScriptedServer { $0.respond("200 OK", ["DPoP-Nonce: one", "dpop-nonce: two"], "") }
    var request = HTTPRequest(.get, server.url, headers: [("DPoP", "a.proof.x")])
    request.authorization = ("DPoP", Secret("tok.en"))
    let response = try await transport().send(request)
    #expect(response.all("DPoP-NONCE") == ["one", "two"] && response.all("absent").isEmpty)
    let sent = try #require(server.rawRequests.first)
    #expect(sent.contains("\r\nAuthorization: DPoP tok.en\r\n") && sent.contains("\r\nDPoP: a.proof.x\r\n"))
    #expect(!sent.contains("Bearer"))
  }

  @Test("a POST without a body sends none, and doesn't wait for one")
  func emptyPost() async throws {
    let server = try ScriptedServer { $0.respond() }
    #expect(try await transport().send(HTTPRequest(.post, server.url)).status == 200)
    #expect(try #require(server.rawRequests.first).contains("Content-Length: 0"))
  }

  @Test(
    "a redirect is returned, not followed",
    arguments: ["https://example.com/", "file:///etc/passwd", "/other", "ftp://127.0.0.1/"]
  )
  func redirect(target: String) async throws {
    let server = try ScriptedServer { $0.respond("302 Found", ["Location: \(target)"], "moved") }
    let response = try await transport().send(HTTPRequest(.post, server.url, body: Secret("code=1")))
    #expect(response.status == 302 && response.header("Location") == target && server.rawRequests.count == 1)
  }

  @Test("an interim response is skipped")
  func interim() async throws {
    let server = try ScriptedServer {
      $0.send("HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n")
      $0.respond("200 OK", ["X-Late: 1"])
    }
    let response = try await transport().send(HTTPRequest(.get, server.url))
    #expect(response.status == 200 && response.header("X-Early") == nil && response.header("X-Late") == "1")
  }

  @Test("a second request uses the same connection, without the first one's secrets")
  func reuse() async throws {
    let server = try ScriptedServer { $0.respond() }
    let transport = transport(limits: Self.patient)
    _ = try await transport.send(
      HTTPRequest(.post, server.url, authorization: ("Bearer", Secret("first")), body: Secret("one"))
    )
    _ = try await transport.send(HTTPRequest(.get, server.url))
    #expect(server.connections == 1)
    let second = try #require(server.rawRequests.last)
    #expect(second.hasPrefix("GET") && !second.contains("first") && !second.contains("one"))
  }

  @Test(
    "a request that isn't repeatable is sent once, even if the connection ends",
    arguments: [.post, .delete] as [HTTPRequest.Method]
  )
  func lostConnection(method: HTTPRequest.Method) async throws {
    let server = try ScriptedServer { peer in
      if peer.request.hasPrefix("GET") { peer.respond() } else { peer.disconnect() }
    }
    let transport = transport(limits: Self.patient)
    // libcurl repeats a request by itself on a connection that it reuses.
    _ = try await transport.send(HTTPRequest(.get, server.url))
    _ = await failure(transport, HTTPRequest(method, server.url, body: method == .post ? Secret("code=1") : nil))
    #expect(server.rawRequests.count == 2)
  }

  @Test("many concurrent requests get their own responses")
  func parallel() async throws {
    let server = try ScriptedServer { peer in
      peer.respond("200 OK", [], String(peer.request.prefix { $0 != "\r\n" }))
    }
    let transport = transport()
    let url = server.url
    try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
      for index in 0..<40 {
        group.addTask { (index, try await transport.send(HTTPRequest(.get, url + "/\(index)")).body) }
      }
      for try await (index, body) in group { #expect(body == Array("GET /\(index) HTTP/1.1".utf8)) }
    }
  }

  @Test("the observer gets method, URL without query, and status, but no secret")
  func observer() async throws {
    let server = try ScriptedServer { $0.respond("404 Not Found") }
    let observed = Mutex<[CurlTransport.Exchange]>([])
    let watched = transport { exchange in observed.withLock { $0.append(exchange) } }
    _ = try await watched.send(
      HTTPRequest(.get, server.url + "/p?code=SECRET", authorization: ("Bearer", Secret("SECRET")))
    )
    _ = await failure(watched, HTTPRequest(.get, "http://127.0.0.1:1/"))
    let exchanges = observed.withLock(\.self)
    #expect(exchanges.map(\.status) == [404, nil])
    #expect(exchanges.first?.url == server.url + "/p")
    #expect(!"\(exchanges)".contains("SECRET"))
  }
}
