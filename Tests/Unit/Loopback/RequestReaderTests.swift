import Testing

@testable import MSAuthLoopback

@Suite("parsing requests")
struct RequestReaderTests {
  private func read(
    _ bytes: some Collection<UInt8>,
    _ limits: ListenerLimits = ListenerLimits()
  ) throws(RequestRejection) -> LoopbackRequest? {
    var reader = RequestReader(limits: limits)
    return try reader.read(bytes)
  }

  private func status(_ text: String, _ limits: ListenerLimits = ListenerLimits()) -> Int? {
    do {
      _ = try read(text.utf8, limits)
      return 200
    } catch { return error.status }
  }

  @Test("a request is split, and nothing in it is decoded")
  func parts() throws {
    let text = "POST /a%2Fb?x=%41&y HTTP/1.1\r\nHOST: LocalHost:80\r\nContent-Length: 3\r\nX-A:\t 1 \r\nx-a:\r\n\r\na=b"
    let request = try #require(try read(text.utf8))
    #expect(
      [request.method, request.path, request.query, request.host] == ["POST", "/a%2Fb", "x=%41&y", "localhost:80"]
    )
    #expect(request.values(of: "x-a") == ["1", ""] && request.body == Array("a=b".utf8))
  }

  @Test("a request in pieces of any size is the same", arguments: 1...70)
  func cut(_ length: Int) throws {
    let bytes = Array("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello".utf8)
    var reader = RequestReader(limits: ListenerLimits())
    var request: LoopbackRequest?
    for start in stride(from: 0, to: bytes.count, by: length) {
      #expect(request == nil)
      request = try reader.read(bytes[start..<min(start + length, bytes.count)])
    }
    #expect(request?.body == Array("hello".utf8))
  }

  @Test(
    "an invalid request in pieces of any size has the same error",
    arguments: [
      "GET /\(String(repeating: "a", count: 40)) HTTP/1.1\r\nHost: h\r\n\u{1}\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "a", count: 80))\n\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "a", count: 80))\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: h\r\n\r\r\n\r\n",
    ]
  )
  func cutRejection(text: String) {
    var limits = ListenerLimits()
    limits.maximumHeadBytes = 64
    let whole = #expect(throws: RequestRejection.self) { try read(text.utf8, limits) }
    let single = #expect(throws: RequestRejection.self) {
      var reader = RequestReader(limits: limits)
      for byte in text.utf8 { _ = try reader.read([byte]) }
    }
    #expect(single == whole)
  }

  @Test(
    "well-formed requests are accepted",
    arguments: [
      "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
      "GET / HTTP/1.0\r\nHost: h\r\n\r\n",
      "GET /? HTTP/1.1\r\nHost: h\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: h\r\nCookie: caf\u{E9}=\t1; b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 000\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: h\r\n\r\nGET /pipelined HTTP/1.1\r\n",
    ]
  )
  func wellFormed(_ text: String) { #expect(status(text) == 200) }

  @Test(
    "an absolute target has its own host and path (RFC 9112 §3.2.2)",
    arguments: [
      ("http://LocalHost:80/a?b", "localhost:80", "/a", "b"), ("HTTP://h", "h", "/", nil),
      ("http://h?b", "h", "/", "b"), ("http://h/?", "h", "/", ""), ("http://u@h/", "u@h", "/", nil),
      ("http:///a", "", "/a", nil),
    ] as [(String, String, String, String?)]
  )
  func absoluteTarget(_ target: String, _ host: String, _ path: String, _ query: String?) throws {
    let request = try #require(try read("GET \(target) HTTP/1.1\r\nHost: other\r\n\r\n".utf8))
    #expect(request.host == host && request.path == path && request.query == query)
  }

  @Test(
    "a malformed request line gets its status",
    arguments: [
      ("GET /\u{0} HTTP/1.1", 400), ("GET /\u{7F} HTTP/1.1", 400), ("GET /caf\u{E9} HTTP/1.1", 400),
      ("GET  / HTTP/1.1", 400), ("GET /a b HTTP/1.1", 400), ("GET /\tb HTTP/1.1", 400), ("GET / ", 400), ("GET /", 400),
      ("GET", 400), ("", 400), ("G(T / HTTP/1.1", 400), (" GET / HTTP/1.1", 400), ("GET / http/1.1", 400),
      ("GET / HTTP/2.0", 505), ("GET / HTTP/1.11", 505), ("PRI * HTTP/2.0", 505), ("GET https://h/ HTTP/1.1", 400),
      ("GET h/ HTTP/1.1", 400), ("OPTIONS * HTTP/1.1", 400), ("CONNECT h:80 HTTP/1.1", 400),
      ("GET /#fragment HTTP/1.1", 400),
    ]
  )
  func requestLine(_ line: String, _ expected: Int) {
    #expect(status("\(line)\r\nHost: h\r\n\r\n") == expected)
    #expect(status("\(line)\r\n\r\n") == expected)
  }

  @Test(
    "line breaks other than CRLF are rejected",
    arguments: [
      "GET / HTTP/1.1\nHost: h\n\n", "GET / HTTP/1.1\r\nHost: h\n\r\n", "GET / HTTP/1.1\rHost: h\r\n\r\n",
      "\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
    ]
  )
  func lineBreak(_ text: String) { #expect(status(text) == 400) }

  @Test(
    "malformed fields and anything but one Host are rejected",
    arguments: [
      [], ["Host:"], ["Host : h"], ["Host: h", "Host: h"], ["Host: h", "host: other"], ["Host: h", "A: \u{0}"],
      ["Host: h", "A: \u{1B}[31m"], ["Host: h", " folded"], ["Host: h", "\tfolded"], ["Host: h", "no colon"],
      ["Host: h", ": empty"], ["Host: h", "n\u{E9}: 1"],
    ]
  )
  func fields(_ fields: [String]) {
    for version in ["1.0", "1.1"] {
      #expect(status((["GET / HTTP/\(version)"] + fields + ["", ""]).joined(separator: "\r\n")) == 400)
    }
  }

  @Test(
    "a body without one valid length gets its status",
    arguments: [
      ([], 411), (["Transfer-Encoding: chunked"], 411), (["Transfer-Encoding: chunked", "Content-Length: 1"], 400),
      (["Content-Length: 1", "Content-Length: 1"], 400), (["Content-Length: 1, 1"], 400), (["Content-Length: +5"], 400),
      (["Content-Length: -1"], 400), (["Content-Length: 0x5"], 400), (["Content-Length:"], 400),
      (["Content-Length: \u{665}"], 400), (["Content-Length: 65537"], 413),
      (["Content-Length: 99999999999999999999999999"], 413), (["Content-Length: 1", "Expect: 100-continue"], 417),
    ]
  )
  func bodyLength(_ fields: [String], _ expected: Int) {
    let head = (["POST / HTTP/1.1", "Host: h"] + fields + ["", ""]).joined(separator: "\r\n")
    #expect(status(head) == expected && status(head + "hello") == expected)
  }

  @Test("an invalid UTF-8 target is rejected, an invalid cookie is ignored")
  func invalidText() throws {
    let tail = Array(" HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
    #expect(throws: RequestRejection.self) { try read(Array("GET /".utf8) + [0xC3, 0x28] + tail) }
    let cookie = Array("GET / HTTP/1.1\r\nHost: h\r\nCookie: ".utf8) + [0xC3, 0x28] + Array("\r\n\r\n".utf8)
    #expect(try read(cookie) != nil)
  }

  @Test("each limit is exact")
  func limits() {
    var limits = ListenerLimits()
    limits.maximumHeadBytes = 120
    limits.maximumHeaderFields = 3
    limits.maximumBodyBytes = 10
    #expect(status(String(repeating: "a", count: 121), limits) == 431)
    let start = "GET / HTTP/1.1\r\nHost: h\r\nA: "
    func head(_ length: Int) -> String {
      start + String(repeating: "a", count: length - start.utf8.count - 4) + "\r\n\r\n"
    }
    for (text, expected) in [
      (head(120), 200), (head(121), 431), (start + String(repeating: "a", count: 200), 431),
      ("GET / HTTP/1.1\r\nHost: h\r\na: 1\r\nb: 2\r\n\r\n", 200),
      ("GET / HTTP/1.1\r\nHost: h\r\na: 1\r\nb: 2\r\nc: 3\r\n\r\n", 431),
      ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n0123456789", 200),
      ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n", 413),
    ] { #expect(status(text, limits) == expected, "\(text)") }
    // Development machines have large cookies.
    #expect(status("GET / HTTP/1.1\r\nHost: h\r\nCookie: \(String(repeating: "c", count: 40_000))\r\n\r\n") == 200)
  }
}
