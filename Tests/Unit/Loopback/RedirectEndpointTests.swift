import MSAuthCore
import Testing

@testable import MSAuthLoopback

@Suite("the redirect URI's endpoint")
struct RedirectEndpointTests {
  static let query = RedirectEndpoint(path: "/callback", method: .get)
  static let form = RedirectEndpoint(path: "/callback", method: .post)

  static func get(
    _ path: String = "/callback",
    _ query: String? = "code=c&state=s",
    method: String = "GET",
    headers: [(name: String, value: String)] = []
  ) -> LoopbackRequest {
    LoopbackRequest(method: method, path: path, query: query, headers: headers, host: "localhost:4000")
  }

  static func post(
    _ body: String = "code=c&state=s",
    type: String? = "application/x-www-form-urlencoded",
    query: String? = nil,
    headers: [(name: String, value: String)] = []
  ) -> LoopbackRequest {
    LoopbackRequest(
      method: "POST",
      path: "/callback",
      query: query,
      headers: headers + (type.map { [("content-type", $0)] } ?? []),
      host: "localhost:4000",
      body: Array(body.utf8)
    )
  }

  private func status(_ request: LoopbackRequest, at endpoint: RedirectEndpoint = query) -> Int {
    do {
      _ = try endpoint.parameters(of: request)
      return 200
    } catch { return error.status }
  }

  private func rejection(of request: LoopbackRequest, at endpoint: RedirectEndpoint = query) throws -> RequestRejection
  {
    try #require(throws: RequestRejection.self) { try endpoint.parameters(of: request) }
  }

  @Test("the parameters of a query and a form post are decoded in order, including repeated ones")
  func parameters() throws {
    let encoded = "code=a%2Bb+c&state=%E2%9C%93&iss&c%6fde=b"
    for (endpoint, request) in [(Self.query, Self.get("/callback", encoded)), (Self.form, Self.post(encoded))] {
      let pairs = try endpoint.parameters(of: request).map { "\($0.name)=\($0.value)" }
      #expect(pairs == ["code=a+b c", "state=✓", "iss=", "code=b"])
    }
  }

  @Test("a redirect URI without a path is requested as /")
  func noPath() {
    let endpoint = RedirectEndpoint(path: "", method: .get)
    #expect(status(Self.get("/"), at: endpoint) == 200)
    #expect(status(Self.get("/callback"), at: endpoint) == 404)
  }

  @Test(
    "other paths get 404",
    arguments: [
      "/", "/Callback", "/callback/", "//callback", "/callback/..", "/./callback", "/%63allback", "/callback%2e",
      "/%2e/callback", "/callback;x", "/other/callback", "/callback\u{301}",
    ]
  )
  func path(_ path: String) { #expect(status(Self.get(path)) == 404) }

  @Test("the browser's icon request gets an empty response, in either mode", arguments: [true, false])
  func favicon(_ posted: Bool) throws {
    let endpoint = posted ? Self.form : Self.query
    let rejection = try rejection(of: Self.get("/favicon.ico", nil), at: endpoint)
    #expect(rejection.status == 404 && !rejection.deservesPage)
  }

  @Test(
    "other methods are rejected, and Allow names the right one",
    arguments: ["HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "get"],
    [RedirectEndpoint.Method.get, .post]
  )
  func method(_ method: String, insteadOf right: RedirectEndpoint.Method) throws {
    let rejection = try rejection(of: Self.get(method: method), at: RedirectEndpoint(path: "/callback", method: right))
    #expect(rejection.status == 405 && rejection.allowedMethod == right.rawValue)
  }

  @Test("a query is rejected for form_post, and a form for query")
  func mode() throws {
    #expect(try self.rejection(of: Self.post()).allowedMethod == "GET")
    let rejection = try rejection(of: Self.get(), at: Self.form)
    #expect(rejection.status == 405 && rejection.allowedMethod == "POST")
    #expect(rejection.reason == "it is a GET where the response mode sends POST")
  }

  @Test("either method can carry an error, but no code")
  func errorByAnyMethod() throws {
    let denied = "error=access_denied&state=s"
    for (endpoint, request) in [(Self.form, Self.get("/callback", denied)), (Self.query, Self.post(denied))] {
      #expect(try endpoint.parameters(of: request).map(\.name) == ["error", "state"])
    }
    #expect(status(Self.post(denied, type: "text/plain"), at: Self.query) == 415)
  }

  @Test(
    "requests other than navigations get 403",
    arguments: [
      [("sec-fetch-dest", "image"), ("sec-fetch-mode", "no-cors")], [("sec-fetch-dest", "iframe")],
      [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")], [("sec-fetch-mode", "cors")],
      [("sec-fetch-dest", "empty")], [("sec-fetch-dest", "document"), ("sec-fetch-dest", "image")],
      [("sec-fetch-dest", "")], [("sec-fetch-mode", "navigate"), ("sec-purpose", "prefetch;prerender")],
      [("connection", "Upgrade"), ("upgrade", "websocket"), ("sec-websocket-key", "x3JJHMbDL1EzLkh9GBhXDw==")],
    ]
  )
  func fetch(_ headers: [(String, String)]) {
    let headers = headers.map { (name: $0.0, value: $0.1) }
    #expect(status(Self.get(headers: headers)) == 403)
    #expect(status(Self.post(headers: headers), at: Self.form) == 403)
  }

  @Test(
    "a navigation from any origin is accepted, also one that a service worker passes on",
    arguments: ["cross-site", "none", "same-origin"],
    ["document", "empty"]
  )
  func navigation(_ site: String, _ destination: String) {
    let headers = [
      (name: "sec-fetch-site", value: site), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", destination),
      ("sec-fetch-user", "?1"), ("origin", "https://evil.example"),
    ]
    #expect(status(Self.get(headers: headers)) == 200)
    #expect(status(Self.post(headers: headers), at: Self.form) == 200)
  }

  @Test(
    "a form post has one media type, which is compared as in RFC 9110 §8.3",
    arguments: [
      (nil, 415), ("text/plain", 415), ("multipart/form-data; boundary=x", 415), ("application/json", 415),
      ("application/x-www-form-urlencodedx", 415), ("Application/X-WWW-Form-URLEncoded", 200),
      ("application/x-www-form-urlencoded;charset=UTF-8", 200),
    ] as [(String?, Int)]
  )
  func mediaType(_ type: String?, _ expected: Int) {
    #expect(status(Self.post(type: type), at: Self.form) == expected)
    let twice = [(name: "content-type", value: type ?? "application/x-www-form-urlencoded")]
    #expect(status(Self.post(headers: twice), at: Self.form) == 415)
  }

  @Test("a form post with a query, and a GET with a body, are rejected")
  func both() {
    #expect(status(Self.post(query: "code=other"), at: Self.form) == 400)
    var request = Self.get()
    request.body = Array("code=other".utf8)
    #expect(status(request) == 400)
  }
}
