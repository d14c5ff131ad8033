import MSAuthCore
import Testing

@testable import MSAuthLoopback
@testable import msauth_app

@Suite("which requests the page's server accepts")
struct PageRulesTests {
  private static let rules = PageRules(port: 8000)
  private static let origin = "http://127.0.0.1:8000"
  private static let oneTimeLink = OneTimeLink(port: 8000, ticket: [1], session: [2])
  private static let cookie = "msauth-app-8000=\(Base64URL.encode([2]))"
  private static let message = Array(#"{"revision":7}"#.utf8)

  /// Replaces a header field; `nil` removes it.
  struct Change: Sendable, CustomTestStringConvertible {
    var name: String
    var value: String?
    var testDescription: String { "\(name): \(value ?? "removed")" }
  }

  private static func request(
    _ method: String,
    _ path: String,
    query: String? = nil,
    changing changes: [Change] = [],
    body: [UInt8]? = nil
  ) -> LoopbackRequest {
    var headers = ["cookie": cookie, "sec-fetch-site": method == "POST" ? "same-origin" : "none"]
    if method == "POST" { headers.merge(["origin": origin, "content-type": "application/json"]) { $1 } }
    var host = "127.0.0.1:8000"
    for change in changes {
      if change.name == "host" { host = change.value ?? "" } else { headers[change.name] = change.value }
    }
    return LoopbackRequest(
      method: method,
      path: path,
      query: query,
      headers: headers.map { (name: $0.key, value: $0.value) },
      host: host,
      body: body ?? (method == "POST" ? message : [])
    )
  }

  private static func validate(_ request: LoopbackRequest) -> PageRules.Decision {
    rules.validate(request, oneTimeLink)
  }

  private static func status(_ request: LoopbackRequest) -> Int? {
    if case .reject(let status) = validate(request) { status } else { nil }
  }

  @Test("the page's files are served", arguments: PageFile.allCases)
  func files(_ file: PageFile) {
    for changes in [[], [Change(name: "sec-fetch-site", value: "same-origin")]] {
      #expect(Self.validate(Self.request("GET", file.rawValue, changing: changes)) == .accept(.file(file)))
    }
  }

  @Test("each action is accepted by POST only", arguments: Action.allCases)
  func actions(_ action: Action) {
    let path = "/\(action.rawValue)"
    #expect(Self.validate(Self.request("POST", path)) == .accept(.action(action, revision: 7)))
    #expect(Self.status(Self.request("GET", path)) == 404)
  }

  static let foreignSenders = [
    Change(name: "cookie", value: nil), Change(name: "cookie", value: "msauth-app-8000=guess"),
    Change(name: "host", value: "evil.example"), Change(name: "host", value: "evil.example:8000"),
    Change(name: "host", value: "localhost:8000"), Change(name: "host", value: "127.0.0.1:8001"),
    Change(name: "host", value: "127.0.0.1"), Change(name: "host", value: "127.0.0.1:8000.evil.example"),
    Change(name: "sec-fetch-site", value: "cross-site"), Change(name: "sec-fetch-site", value: "same-site"),
    Change(name: "origin", value: "https://evil.example"), Change(name: "origin", value: "null"),
    Change(name: "origin", value: "http://127.0.0.1:8001"), Change(name: "origin", value: "http://127.0.0.1"),
    Change(name: "origin", value: "http://localhost:8000"), Change(name: "origin", value: "https://127.0.0.1:8000"),
    Change(name: "sec-purpose", value: "prefetch"),
  ]

  @Test("a foreign sender gets 403 for every path", arguments: foreignSenders)
  func foreign(_ change: Change) {
    for path in ["/", "/app.js", "/nothing"] {
      #expect(Self.status(Self.request("GET", path, changing: [change])) == 403, "GET \(path)")
    }
    for path in Action.allCases.map({ "/" + $0.rawValue }) + ["/nothing"] {
      #expect(Self.status(Self.request("POST", path, changing: [change])) == 403, "POST \(path)")
    }
  }

  @Test("the link is accepted without a cookie, and with no other foreign field", arguments: foreignSenders)
  func link(_ change: Change) {
    let outcome = Self.validate(Self.request("GET", "/open/abc", changing: [change]))
    #expect(outcome == (change.name == "cookie" ? .accept(.open(Secret("abc"))) : .reject(403)))
  }

  @Test("an action requires an Origin, even without fetch metadata")
  func action() {
    for (name, value, status) in [
      ("origin", nil, 403), ("sec-fetch-site", "none", 403), ("sec-fetch-site", nil, nil),
    ] as [(String, String?, Int?)] {
      let request = Self.request("POST", "/sign-out", changing: [Change(name: name, value: value)])
      #expect(Self.status(request) == status, "\(name): \(value ?? "none")")
    }
  }

  @Test("another origin's preflight is rejected like its request")
  func preflight() {
    let foreign = Change(name: "origin", value: "https://evil.example")
    #expect(Self.status(Self.request("OPTIONS", "/sign-out", changing: [foreign])) == 403)
    #expect(Self.status(Self.request("OPTIONS", "/sign-out")) == 405)
    #expect(Self.status(Self.request("HEAD", "/")) == 405)
  }

  @Test(
    "a form can't act",
    arguments: [nil, "application/x-www-form-urlencoded", "text/plain", "multipart/form-data", "application/json; x=y"]
  )
  func form(_ mediaType: String?) {
    let change = Change(name: "content-type", value: mediaType)
    #expect(Self.status(Self.request("POST", "/sign-out", changing: [change])) == 415)
  }

  @Test(
    "a malformed message is rejected",
    arguments: ["", "{", "[]", "{}", #"{"revision":"7"}"#, #"{"revision":1.5}"#, #"{"revision":9223372036854775808}"#]
  )
  func malformed(_ body: String) {
    #expect(Self.status(Self.request("POST", "/sign-out", body: Array(body.utf8))) == 400)
  }

  @Test("an unknown path gets 404", arguments: ["/index.html", "/app.css/", "//", "/%2e", "/favicon.ico"])
  func unknown(_ path: String) {
    #expect(Self.status(Self.request("GET", path)) == 404)
    #expect(Self.status(Self.request("POST", path)) == 404)
  }

  @Test("a query is rejected")
  func query() { #expect(Self.status(Self.request("GET", "/", query: "x=1")) == 400) }

  @Test("the page allows no inline script or style and no other origin")
  func policy() {
    let policy = PageFile.policy
    for word in ["unsafe-inline", "unsafe-eval", "http:", "https:", "*"] { #expect(!policy.contains(word)) }
    for rule in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
      #expect(policy.contains(rule))
    }
    let html = String(decoding: PageFile.page.response.body, as: UTF8.self)
    for word in ["<style", "style=", "onclick", "onload", "javascript:", "//"] {
      #expect(!html.contains(word), "\(word)")
    }
  }
}
