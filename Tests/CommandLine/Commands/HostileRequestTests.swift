import TestSupport
import Testing

@Suite("requests before the right redirect", .limitedConcurrency)
struct HostileRequestTests {
  @Test(
    "no hostile request ends the sign-in, even with the right state, and the right redirect still does",
    arguments: ["query", "form_post"]
  )
  func everythingAtOnce(mode: String) async throws {
    let fixture = try await ProviderMockFixture()
    let login = try await fixture.startLogin("--redirect-uri", "http://localhost/back", "--response-mode", mode)
    let state = login.state
    let right = try await fixture.provider.submitForm(at: login.url)
    let fields = FormFields.query(of: right)
    let code = try #require(fields["code"])

    // Kept until the end, as browsers keep preconnected sockets.
    let idle = try await login.probe.idleConnections(20)
    for request in HostileRequest.all {
      let answer = try await login.probe.sendRaw(request.bytes(mode: mode, port: login.port, state: state))
      #expect(answer.hasPrefix("HTTP/1.1 \(request.status) "), "\(request): \(answer.prefix(200))")
      #expect(answer.ranges(of: "HTTP/1.1 ").count == 1, "\(request): \(answer)")
      let echoes = ["stolen", "<script", code, state].filter(answer.contains)
      #expect(echoes.isEmpty, "\(request): \(answer)")
      #expect(!answer.lowercased().contains("access-control-"), "\(request): \(answer)")
      #expect(login.child.ending == nil, "\(request) ended the sign-in: \(login.child.stderr)")
    }
    for bytes in [[], Array("GET /back?code=stolen&state=\(state) HTT".utf8)] {
      #expect(try await login.probe.sendRaw(bytes) == "")
    }
    #expect(login.child.ending == nil, "\(login.child.stderr)")

    let first =
      mode == "query"
      ? try await HTTPClient.send("GET", right) : try await HTTPClient.post(login.redirectURI, form: fields)
    #expect(first.status == 303, "\(first)")
    let walk = try await RedirectChain.from(RedirectChain.resolve(first.header("location"), at: login.redirectURI))
    let page = try walk.page
    #expect(page.status == 200 && page.body.contains("Signed in as"), "\(page)")
    // The page's address and content have no secret.
    #expect(FormFields.query(of: walk.address).isEmpty, "\(walk.address)")
    for secret in fixture.provider.secrets {
      let texts = [first.body, first.header("location") ?? ""] + walk.answers.map(\.body)
      #expect(!texts.contains { $0.contains(secret) })
    }
    try await fixture.runner.outcome(of: login.child).expect(0, stdout: ProviderMock.username + "\n")
    #expect(!fixture.provider.proxy.transcript.contains("stolen"), "the attacker's code was sent to the provider")
    _ = idle
  }
}

/// A request that isn't the provider's redirect, though it may have the right `state`.
struct HostileRequest: Sendable, CustomStringConvertible {
  let description: String
  /// The expected status.
  let status: Int
  /// Default: the response mode's; `OTHER` is the other mode's.
  private var method: String?
  private var target = "/back"
  private var headers = ["Host: HOST"]
  private var parameters = "code=stolen&state=STATE"
  /// Follows on the same connection.
  private var next = ""

  private init(_ status: Int, _ description: String, _ change: (inout Self) -> Void) {
    (self.status, self.description) = (status, description)
    change(&self)
  }

  func bytes(mode: String, port: UInt16, state: String) -> [UInt8] {
    let isQuery = mode == "query"
    let method = (method ?? (isQuery ? "GET" : "POST")).replacing("OTHER", with: isQuery ? "POST" : "GET")
    let parameters = parameters.replacing("STATE", with: state)
    let isPost = method == "POST"
    var lines = ["\(method) \(target)\(isPost || parameters.isEmpty ? "" : "?" + parameters) HTTP/1.1"] + headers
    if isPost {
      lines += ["Content-Type: application/x-www-form-urlencoded", "Content-Length: \(parameters.utf8.count)"]
    }
    let text = (lines + ["", isPost ? parameters : ""]).joined(separator: "\r\n") + next
    return Array(text.replacing("HOST", with: "localhost:\(port)").replacing("STATE", with: state).utf8)
  }

  /// One per kind: RequestReader-, RedirectEndpoint- and AuthorizationResponseTests prove the rules themselves.
  static let all = kinds + parameters

  private static let kinds = [
    HostileRequest(404, "another path") { $0.target = "/other" },
    HostileRequest(421, "a name that a proxy has replaced") {
      $0.headers = ["Host: attacker.example", "X-Forwarded-Host: HOST"]
    },
    HostileRequest(405, "the other response mode's method") { $0.method = "OTHER" },
    HostileRequest(403, "a request for an image") { $0.headers.append("Sec-Fetch-Dest: image") },
    HostileRequest(400, "a navigation from another site, with a wrong state") {
      $0.headers += ["Origin: https://attacker.example", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"]
      $0.parameters = "code=stolen&state=wrong"
    },
    HostileRequest(404, "a right request behind another one") {
      ($0.method, $0.target, $0.parameters) = ("GET", "/favicon.ico", "")
      $0.next = denial
    },
  ]

  /// Alone it would end the sign-in in either mode.
  private static let denial = "GET /back?error=access_denied&state=STATE HTTP/1.1\r\nHost: HOST\r\n\r\n"

  private static let parameters = [
    "code=stolen&state=wrong", "code=stolen&state=STATE&%73tate=STATE",
    "error=<script>&error_description=%1b[2J%3Cscript%3E", "code=stolen&state=STATE%00",
  ].map { text in
    HostileRequest(400, "the parameters \(text.prefix(80))") { $0.parameters = text }
  }
}
