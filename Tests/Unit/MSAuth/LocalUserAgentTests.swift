import MSAuthCrypto
import MSAuthDesktop
import MSAuthOAuth
import TestSupport
import Testing

@testable import MSAuth

@Suite("The browser's side of a sign-in, whoever runs the other side")
struct LocalUserAgentTests {
  private final class Opener: BrowserOpening {
    let opened = OneShot<URL>()
    func open(_ url: URL) async throws(Failure) -> String {
      opened.resume(url)
      return "a test"
    }
  }

  private let opener = Opener()

  private func agent(opensBrowser: Bool = true) throws -> LocalUserAgent {
    var dependencies = Dependencies.offline(MemoryStore())
    dependencies.browser = opener
    dependencies.random = SystemRandom()
    let configuration = ClientConfiguration(clientID: "c", environment: [:])
    let context = Context(configuration: configuration, dependencies: dependencies)
    return LocalUserAgent(context, opensBrowser: opensBrowser, report: nil)
  }

  private func request(_ uri: String = "http://127.0.0.1/", timeout: Duration = .seconds(100)) -> RedirectRequest {
    RedirectRequest(redirectURI: uri, state: "s", responseMode: .query, timeout: timeout, isMicrosoft: false)
  }

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  @Test(
    "only loopback addresses are bound, and no wait is longer than a day",
    arguments: ["http://0.0.0.0/", "http://192.0.2.1:8400/", "https://localhost/", "http://localhost.evil.example/"]
  )
  func loopbackOnly(uri: String) async throws {
    await #expect(throws: AuthenticationError.self) { try await agent().listen(request(uri)) }
    for timeout in [Duration.seconds(-1), .seconds(86_401), .seconds(Int64.max)] {
      await #expect(throws: AuthenticationError.self) { try await agent().listen(request(timeout: timeout)) }
    }
  }

  @Test(
    "only an address for a browser is opened",
    arguments: ["javascript:x", "http://idp.example/", "-x", "file:///etc/passwd"]
  )
  func address(_ address: String) async throws {
    let agent = try agent()
    await #expect(throws: AuthenticationError.self) { try await agent.authorize(at: url("https://idp.example/")) }
    _ = try await agent.listen(request())
    await #expect(throws: AuthenticationError.self) { try await agent.authorize(at: url(address)) }
    await agent.show(.denied)
    #expect(opener.opened.current == nil)
  }

  @Test("the browser opens a link made here, the redirect with the right state returns, the page shows escaped words")
  func signIn() async throws {
    let agent = try agent()
    let uri = try await agent.listen(request())
    await #expect(throws: AuthenticationError.self) { try await agent.listen(request()) }
    let address = "https://idp.example/authorize?a=$(touch$IFS)x&url=https://evil.example/"
    async let fields = agent.authorize(at: url(address))
    let opened = try await opener.opened.value().absoluteString
    let prefix = "\(uri)go/"
    #expect(opened.hasPrefix(prefix) && Base64URL.decode(String(opened.dropFirst(prefix.count)))?.count == 16)

    let port = try #require(try url(uri).port.flatMap { UInt16(exactly: $0) })
    let (probe, host) = (RawHTTPClient(port: port), "Host: 127.0.0.1:\(port)")
    let redirected = try await probe.send("GET /go/\(opened.dropFirst(prefix.count)) HTTP/1.1", [host])
    #expect(redirected.contains("\r\nLocation: \(address)\r\n"), "\(redirected)")
    for wrong in ["code=c&state=t", "code=c", "state=s", "code=c&code=d&state=s", "id_token=x&code=c&state=s"] {
      let refused = try await probe.send("GET /?\(wrong) HTTP/1.1", [host, "Cookie: other=secret"])
      #expect(refused.hasPrefix("HTTP/1.1 400 "), "\(wrong): \(refused)")
    }
    async let page = probe.send("GET /?code=c&state=s&iss=i HTTP/1.1", [host])
    #expect(try await fields.map { "\($0.name)=\($0.value)" } == ["code=c", "state=s", "iss=i"])
    #expect("\(try await fields)" == "[code, state, iss]")

    async let shown: Void = agent.show(.signedIn(username: "<script>ada", missingScopes: []))
    let location = try #require(try await page.firstMatch(of: /Location: ([^\r]+)/)?.1)
    let result = try await probe.send("GET \(location) HTTP/1.1", [host])
    #expect(result.contains("&lt;script&gt;ada") && !result.contains("<script"), "\(result)")
    #expect(result.contains("default-src 'none'"), "\(result)")
    await shown
    #expect(!probe.isOpen)
  }
}
