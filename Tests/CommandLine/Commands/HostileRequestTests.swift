import TestSupport
import Testing

@Suite("what reaches the listener before the right redirect", .limitedConcurrency)
struct HostileRequestTests {
  @Test(
    "of all that anybody may send, who may even know the state, nothing ends the sign-in, and the right redirect does",
    arguments: ["query", "form_post"]
  )
  func everythingAtOnce(mode: String) async throws {
    let fixture = try await ProviderMockFixture()
    let login = try await fixture.startLogin("--redirect-uri", "http://localhost/back", "--response-mode", mode)
    let state = try #require(login.parameters["state"])
    let right = try await fixture.provider.submitForm(at: login.url)
    let fields = FormFields.query(of: right)
    let code = try #require(fields["code"])

    // Kept until the end, as a browser keeps connections that it opened ahead of time.
    let idle = try await login.probe.idleConnections(20)
    for (index, request) in HostileRequest.all.enumerated() {
      let probe = RawHTTPClient(port: login.port, usesIPv6: index.isMultiple(of: 2))
      let answer = try await probe.sendRaw(request.bytes(mode: mode, port: login.port, state: state))
      #expect(answer.hasPrefix("HTTP/1.1 \(request.status) "), "\(request): \(answer.prefix(200))")
      #expect(answer.ranges(of: "HTTP/1.1 ").count == 1, "\(request): \(answer)")
      let echoes = ["stolen", "<script", code, state].filter(answer.contains)
      #expect(echoes.isEmpty, "\(request): \(answer)")
      #expect(!answer.lowercased().contains("access-control-"), "\(request): \(answer)")
      #expect(login.child.ending == nil, "\(request) ended the sign-in: \(login.child.stderr)")
    }
    for bytes in [RawHTTPClient.tlsHello, [], Array("GET /back?code=stolen&state=\(state) HTT".utf8)] {
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
    let outcome = try await fixture.runner.outcome(of: login.child)
    #expect(outcome.code == 0 && outcome.stdout == ProviderMock.username + "\n", "\(outcome)")
    #expect(!fixture.provider.proxy.transcript.contains("stolen"), "a code of the attacker was sent to the provider")
    _ = idle
  }

  @Test("the right redirect twice at once, and once more: one is answered, and the code is redeemed once")
  func twice() async throws {
    let fixture = try await ProviderMockFixture()
    let login = try await fixture.startLogin()
    let right = try await fixture.provider.submitForm(at: login.url)
    async let first = try? RedirectChain.from(right)
    async let second = try? RedirectChain.from(right)
    // Who comes late may find nobody who listens.
    let pages = await [first, second].compactMap { try? $0?.page.body }
    #expect(pages.filter { $0.contains("Signed in as") }.count == 1, "\(pages)")
    let outcome = try await fixture.runner.outcome(of: login.child)
    #expect(outcome.code == 0, "\(outcome)")
    #expect(fixture.provider.proxy.values(of: "access_token").count == 1)
    let again = try? await HTTPClient.send("GET", right)
    #expect(again.map { $0.status != 200 } ?? true, "\(String(describing: again))")
    // The provider may have been asked twice, with and without a secret, but for one code.
    #expect(fixture.provider.proxy.values(of: "code").count == 1)
  }

  @Test("a denial without state changes nothing: the person may still approve")
  func denialWithoutState() async throws {
    let fixture = try await ProviderMockFixture()
    let login = try await fixture.startLogin()
    // The provider's own "Deny" button leaves the state out.
    let denial = try await fixture.provider.submitForm(at: login.url, as: nil)
    #expect(FormFields.query(of: denial)["error"] == "access_denied")
    #expect(FormFields.query(of: denial)["state"] == nil)
    let walk = try await RedirectChain.from(denial)
    let page = try walk.page
    #expect((400..<500).contains(page.status), "\(page)")

    #expect(try await fixture.complete(login).code == 0)
  }

  @Test("the page at the end carries no script, and the headers that keep it private")
  func pageHeaders() async throws {
    let fixture = try await ProviderMockFixture()
    let login = try await fixture.startLogin()
    let walk = try await fixture.provider.signIn(at: login.url)
    let answer = try walk.page
    #expect(answer.header("content-security-policy")?.contains("default-src 'none'") == true, "\(answer)")
    #expect(answer.header("cache-control")?.contains("no-store") == true, "\(answer)")
    #expect(answer.header("referrer-policy") == "no-referrer", "\(answer)")
    #expect(answer.header("x-content-type-options") == "nosniff", "\(answer)")
    #expect(!answer.body.lowercased().contains("<script"), "\(answer)")
    #expect(FormFields.query(of: walk.address).isEmpty || !walk.address.contains("code="), "\(walk.address)")
    #expect(walk.answers.first?.status == 303, "\(walk.answers)")
    for secret in fixture.provider.secrets {
      #expect(!walk.answers.contains { $0.body.contains(secret) || ($0.header("location") ?? "").contains(secret) })
    }
    #expect(try await fixture.runner.outcome(of: login.child).code == 0)
  }
}
