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
    for (status, request) in Self.requests(mode: mode, port: login.port, state: state) {
      let response = try await login.probe.sendRaw(Array(request.utf8))
      #expect(response.hasPrefix("HTTP/1.1 \(status) "), "\(request): \(response.prefix(200))")
      #expect(response.ranges(of: "HTTP/1.1 ").count == 1, "\(request): \(response)")
      let echoes = ["stolen", "<script", code, state].filter(response.contains)
      #expect(echoes.isEmpty, "\(request): \(response)")
      #expect(!response.lowercased().contains("access-control-"), "\(request): \(response)")
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
      let texts = [first.body, first.header("location") ?? ""] + walk.responses.map(\.body)
      #expect(!texts.contains { $0.contains(secret) })
    }
    try await fixture.runner.outcome(of: login.child).expect(0, stdout: ProviderMock.username + "\n")
    #expect(!fixture.provider.proxy.transcript.contains("stolen"), "the attacker's code was sent to the provider")
    _ = idle
  }

  /// One request per kind that isn't the provider's redirect, though it may have the right `state`, and its status.
  ///
  /// RequestReader-, RedirectEndpoint- and AuthorizationResponseTests prove the rules themselves.
  private static func requests(mode: String, port: UInt16, state: String) -> [(status: Int, text: String)] {
    let host = "localhost:\(port)"
    let (own, other) = mode == "query" ? ("GET", "POST") : ("POST", "GET")
    func request(
      _ parameters: String = "code=stolen&state=\(state)",
      method: String? = nil,
      at path: String = "/back",
      fields: [String] = ["Host: \(host)"]
    ) -> String {
      let (method, body) = (method ?? own, (method ?? own) == "POST" ? parameters : "")
      let form = ["Content-Type: application/x-www-form-urlencoded", "Content-Length: \(body.utf8.count)"]
      let target = body.isEmpty && !parameters.isEmpty ? "\(path)?\(parameters)" : path
      let head = ["\(method) \(target) HTTP/1.1"] + fields + (body.isEmpty ? [] : form)
      return (head + ["", body]).joined(separator: "\r\n")
    }
    let navigation = ["Origin: https://attacker.example", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"]
    // Alone it would end the sign-in in either mode.
    let denial = request("error=access_denied&state=\(state)", method: "GET")
    let invalid = [
      "code=stolen&state=wrong", "code=stolen&state=\(state)&%73tate=\(state)",
      "error=<script>&error_description=%1b[2J%3Cscript%3E", "code=stolen&state=\(state)%00",
    ]
    return [
      (404, request(at: "/other")),
      // A name that a proxy has replaced.
      (421, request(fields: ["Host: attacker.example", "X-Forwarded-Host: \(host)"])), (405, request(method: other)),
      (403, request(fields: ["Host: \(host)", "Sec-Fetch-Dest: image"])),
      (400, request("code=stolen&state=wrong", fields: ["Host: \(host)"] + navigation)),
      // Behind another request on the same connection.
      (404, request("", method: "GET", at: "/favicon.ico") + denial),
    ] + invalid.map { (400, request($0)) }
  }
}
