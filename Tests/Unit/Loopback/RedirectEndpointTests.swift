import Testing

@testable import Loopback

@Suite("Judging redirects")
struct RedirectEndpointTests {
  static let ours = "localhost:4000"
  static let query = RedirectEndpoint(path: "/callback", responseMode: .query, allowedHosts: [ours])
  static let form = RedirectEndpoint(path: "/callback", responseMode: .formPost, allowedHosts: [ours])

  static func get(
    _ path: String = "/callback",
    _ query: String? = "code=c&state=s",
    method: String = "GET",
    host: String = ours,
    headers: [(name: String, value: String)] = []
  ) -> LoopbackRequest {
    LoopbackRequest(method: method, path: path, query: query, headers: headers, host: host)
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
      host: ours,
      body: Array(body.utf8)
    )
  }

  private func status(_ verdict: RedirectVerdict) -> Int {
    switch verdict {
    case .parameters: 200
    case .refused(let response, _): response.status
    }
  }

  @Test("a query's parameters are decoded, in their order")
  func parameters() throws {
    let verdict = Self.query.judge(Self.get("/callback", "code=a%2Bb+c&state=%E2%9C%93&iss"))
    guard case .parameters(let pairs) = verdict else { throw Refused() }
    #expect(pairs.map(\.name) == ["code", "state", "iss"])
    #expect(pairs.map(\.value) == ["a+b c", "✓", ""])
  }

  @Test("a form post's parameters are decoded")
  func form() throws {
    guard case .parameters(let pairs) = Self.form.judge(Self.post("code=c&state=s+1")) else { throw Refused() }
    #expect(pairs.map(\.value) == ["c", "s 1"])
  }

  @Test("a Microsoft error description with line breaks is a parameter")
  func microsoft() throws {
    let verdict = Self.query.judge(Self.get("/callback", "error=e&error_description=AADSTS1%3a+No.%0d%0aTrace"))
    guard case .parameters(let pairs) = verdict else { throw Refused() }
    #expect(pairs.last?.value == "AADSTS1: No.\r\nTrace")
  }

  @Test("a redirect URI without a path is asked for as /")
  func noPath() {
    let endpoint = RedirectEndpoint(path: "", responseMode: .query, allowedHosts: [Self.ours])
    #expect(status(endpoint.judge(Self.get("/"))) == 200)
    #expect(status(endpoint.judge(Self.get("/callback"))) == 404)
  }

  @Test(
    "another path is not found",
    arguments: [
      "/", "/Callback", "/callback/", "//callback", "/callback/..", "/./callback", "/%63allback", "/callback%2e",
      "/%2e/callback",
      "/callback;x", "/other/callback", "/callback\u{301}",
    ]
  )
  func path(_ path: String) { #expect(status(Self.query.judge(Self.get(path))) == 404) }

  @Test("the browser's icon request is answered with nothing, in either mode", arguments: [true, false])
  func favicon(_ posted: Bool) throws {
    let endpoint = posted ? Self.form : Self.query
    guard case .refused(let response, _) = endpoint.judge(Self.get("/favicon.ico", nil)) else { throw Accepted() }
    #expect(response.status == 404)
    #expect(response.body.isEmpty)
  }

  @Test(
    "other methods are refused, and told which is right",
    arguments: ["HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "get", "POST"]
  )
  func method(_ method: String) throws {
    guard case .refused(let response, _) = Self.query.judge(Self.get(method: method)) else { throw Accepted() }
    #expect(response.status == 405)
    #expect(response.headers.filter { $0.name == "Allow" }.map(\.value) == ["GET"])
  }

  @Test("a query is refused where a form post is agreed")
  func mode() throws {
    guard case .refused(let response, let reason) = Self.form.judge(Self.get()) else { throw Accepted() }
    #expect(response.status == 405)
    #expect(response.headers.filter { $0.name == "Allow" }.map(\.value) == ["POST"])
    #expect(reason.contains("form_post"))
  }

  @Test(
    "a foreign Host is misdirected",
    arguments: [
      "localhost", "localhost:4001", "localhost.attacker.com:4000", "attacker.com", "127.0.0.1:4000", "localhost:4000.",
      "localhost.:4000", "[::1]:4000", "localhost:04000", "user@localhost:4000", "xlocalhost:4000", "localhost:4000, a",
    ]
  )
  func host(_ host: String) { #expect(status(Self.query.judge(Self.get(host: host))) == 421) }

  @Test(
    "what is not a navigation is forbidden",
    arguments: [
      [("sec-fetch-dest", "image"), ("sec-fetch-mode", "no-cors")], [("sec-fetch-dest", "iframe")],
      [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")], [("sec-fetch-mode", "cors")],
      [("sec-fetch-dest", "empty")], [("sec-fetch-dest", "document"), ("sec-fetch-dest", "image")],
      [("sec-fetch-dest", "")], [("sec-fetch-mode", "navigate"), ("sec-purpose", "prefetch;prerender")],
    ]
  )
  func fetch(_ headers: [(String, String)]) {
    let headers = headers.map { (name: $0.0, value: $0.1) }
    #expect(status(Self.query.judge(Self.get(headers: headers))) == 403)
    #expect(status(Self.form.judge(Self.post(headers: headers))) == 403)
  }

  @Test("a navigation from anywhere is taken, whatever its origin", arguments: ["cross-site", "none", "same-origin"])
  func navigation(_ site: String) {
    let headers = [
      (name: "sec-fetch-site", value: site), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document"),
      ("sec-fetch-user", "?1"), ("origin", "https://evil.example"),
    ]
    #expect(status(Self.query.judge(Self.get(headers: headers))) == 200)
    #expect(status(Self.form.judge(Self.post(headers: headers))) == 200)
  }

  @Test("a CORS preflight is given no permission")
  func preflight() throws {
    let request = Self.get(
      method: "OPTIONS",
      headers: [
        ("origin", "https://evil.example"), ("access-control-request-method", "POST"),
        ("access-control-request-private-network", "true"),
      ]
    )
    guard case .refused(let response, _) = Self.form.judge(request) else { throw Accepted() }
    #expect(response.status == 405)
    #expect(!response.headers.contains { $0.name.lowercased().hasPrefix("access-control") })
  }

  @Test(
    "a form post of another media type is refused",
    arguments: [
      nil, "text/plain", "multipart/form-data; boundary=x", "application/json", "application/x-www-form-urlencodedx",
    ]
  )
  func mediaType(_ type: String?) { #expect(status(Self.form.judge(Self.post(type: type))) == 415) }

  @Test(
    "a media type is compared as RFC 9110 §8.3 says",
    arguments: ["Application/X-WWW-Form-URLEncoded", "application/x-www-form-urlencoded;charset=UTF-8"]
  )
  func mediaTypeSpelling(_ type: String) { #expect(status(Self.form.judge(Self.post(type: type))) == 200) }

  @Test(
    "malformed, doubled or too many parameters change nothing",
    arguments: [
      "code=%", "code=%zz", "code=%00", "code=%FF", "code=a&code=b", "state=s&code=c&state=s", "c%6fde=a&code=b",
      (0...64).map { "p\($0)=1" }.joined(separator: "&"),
    ]
  )
  func badParameters(_ text: String) {
    #expect(status(Self.query.judge(Self.get("/callback", text))) == 400)
    #expect(status(Self.form.judge(Self.post(text))) == 400)
  }

  @Test("64 parameters are not too many")
  func manyParameters() {
    let text = (0..<64).map { "p\($0)=1" }.joined(separator: "&")
    #expect(status(Self.query.judge(Self.get("/callback", text))) == 200)
  }

  @Test("a form post with a query, and a query with a body, are refused")
  func both() {
    #expect(status(Self.form.judge(Self.post(query: "code=other"))) == 400)
    var request = Self.get()
    request.body = Array("code=other".utf8)
    #expect(status(Self.query.judge(request)) == 400)
  }

  @Test("nothing of the request is in the answer or the reason")
  func noEcho() throws {
    let marker = "<script>x</script>"
    let requests = [
      Self.get("/" + marker), Self.get(method: marker), Self.get(host: marker), Self.get("/callback", marker),
      Self.get("/callback", "\(marker)=1&\(marker)=2"), Self.get(headers: [("sec-fetch-dest", marker)]),
    ]
    for request in requests {
      guard case .refused(let response, let reason) = Self.query.judge(request) else { continue }
      #expect(!(String(decoding: response.serialized(), as: UTF8.self) + reason).contains("script>"))
    }
  }
}

private struct Refused: Error {}
private struct Accepted: Error {}
