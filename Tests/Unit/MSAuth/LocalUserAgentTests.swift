import MSAuthCache
import MSAuthDesktop
import MSAuthOAuth
import Synchronization
import TestSupport
import Testing

@testable import MSAuth

private func localAgent(
  opensBrowser: Bool,
  browser: (any BrowserOpening)? = nil,
  pageTimeout: Duration = .seconds(10),
  onEvent: (@Sendable (BrowserEvent) -> Void)? = nil
) -> LocalUserAgent {
  var dependencies = Dependencies.offline(MemoryStore())
  dependencies.pageTimeout = pageTimeout
  if let browser { dependencies.browser = browser }
  var interaction = Interaction()
  (interaction.browserUse, interaction.onEvent) = (opensBrowser ? .open : .report, onEvent)
  return LocalUserAgent(.offline(dependencies), interaction)
}

private func request(
  _ uri: String = "http://127.0.0.1/",
  timeout: Duration = .seconds(100)
) -> RedirectRequest {
  RedirectRequest(redirectURI: uri, state: "s", responseMode: .query, timeout: timeout, isMicrosoft: false)
}

@Suite("the local user agent")
struct LocalUserAgentTests {
  private final class Opener: BrowserOpening {
    let opened = OneShot<URL>()
    func open(_ url: URL, until _: OneShot<Void>) async throws(AuthenticationError) -> String {
      opened.resume(url)
      return "a test"
    }
  }

  private let opener = Opener()

  private func agent(opensBrowser: Bool = true) -> LocalUserAgent {
    localAgent(opensBrowser: opensBrowser, browser: opener)
  }

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  /// A client of the listener, and its Host field.
  private func probe(_ uri: String) throws -> (RawHTTPClient, host: String) {
    let port = try #require(try url(uri).port.flatMap { UInt16(exactly: $0) })
    return (RawHTTPClient(port: port), "Host: 127.0.0.1:\(port)")
  }

  @Test(
    "only loopback addresses are bound",
    arguments: ["http://0.0.0.0/", "http://192.0.2.1:8400/", "https://localhost/", "http://localhost.evil.example/"]
  )
  func loopbackOnly(uri: String) async throws {
    let error = await #expect(throws: AuthenticationError.self) { try await agent().listen(request(uri)) }
    #expect(error?.reason == .redirectURIInvalid)
  }

  @Test("no timeout exceeds a day")
  func longTimeout() async throws {
    let error = await #expect(throws: AuthenticationError.self) {
      try await agent().listen(request(timeout: .seconds(86_401)))
    }
    #expect(error?.reason == "timeout_invalid")
  }

  @Test(
    "only web addresses are opened",
    arguments: ["javascript:x", "http://idp.example/", "-x", "file:///etc/passwd"]
  )
  func address(_ address: String) async throws {
    let agent = agent()
    let early = await #expect(throws: AuthenticationError.self) {
      try await agent.authorize(at: url("https://idp.example/"))
    }
    #expect(early?.message.contains("must listen first") == true)
    _ = try await agent.listen(request())
    let rejected = await #expect(throws: AuthenticationError.self) { try await agent.authorize(at: url(address)) }
    #expect(rejected?.reason == "address_refused")
    await agent.show(.denied)
    #expect(opener.opened.current == nil)
  }

  @Test("the browser opens a local link, the redirect returns its fields, and the page is escaped")
  func signIn() async throws {
    let agent = agent()
    let uri = try await agent.listen(request())
    let again = await #expect(throws: AuthenticationError.self) { try await agent.listen(request()) }
    #expect(again?.message.contains("serves only one sign-in") == true)
    let address = "https://idp.example/authorize?a=$(touch$IFS)x&url=https://evil.example/"
    async let fields = agent.authorize(at: url(address))
    let opened = try await opener.opened.value().absoluteString
    let prefix = "\(uri)go/"
    #expect(opened.hasPrefix(prefix) && Base64URL.decode(String(opened.dropFirst(prefix.count)))?.count == 16)

    let (probe, host) = try probe(uri)
    let redirected = try await probe.send("GET /go/\(opened.dropFirst(prefix.count)) HTTP/1.1", [host])
    #expect(redirected.contains("\r\nLocation: \(address)\r\n"), "\(redirected)")
    for wrong in ["code=c&state=t", "code=c", "code=c&state=s&state=s"] {
      let rejected = try await probe.send("GET /?\(wrong) HTTP/1.1", [host, "Cookie: other=secret"])
      #expect(rejected.hasPrefix("HTTP/1.1 400 "), "\(wrong): \(rejected)")
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

  @Test("a repeated redirect gets the outcome, and a closed tab isn't waited for", arguments: [true, false])
  func closedTab(isRepeated: Bool) async throws {
    let pageTimeout: Duration = .seconds(600)
    let agent = localAgent(opensBrowser: false, pageTimeout: pageTimeout)
    let uri = try await agent.listen(request())
    async let fields = agent.authorize(at: url("https://idp.example/"))
    let (probe, host) = try probe(uri)
    var tab: TCPConnection? = try TCPConnection(port: probe.port)
    try tab?.send(Array("GET /?code=c&state=s HTTP/1.1\r\n\(host)\r\n\r\n".utf8))
    _ = try await fields
    // Close the connection.
    tab = nil
    let second = isRepeated ? try TCPConnection(port: probe.port) : nil
    try second?.send(Array("GET /?code=c&state=s HTTP/1.1\r\n\(host)\r\n\r\n".utf8))
    // The server reads earlier connections first.
    let other = try await probe.send("GET /?code=d&state=s HTTP/1.1", [host])
    #expect(other.hasPrefix("HTTP/1.1 409 "), "\(other)")
    let clock = ContinuousClock()
    let began = clock.now
    async let shown: Void = agent.show(.signedIn(username: "ada", missingScopes: []))
    if let second {
      let page = String(decoding: try await blocking { try second.receive() }, as: UTF8.self)
      let location = try #require(page.firstMatch(of: /Location: ([^\r]+)/)?.1)
      let result = try await probe.send("GET \(location) HTTP/1.1", [host])
      #expect(result.contains("ada"), "\(result)")
    }
    await shown
    if !isRepeated { #expect(clock.now - began < pageTimeout) }
  }
}

@Suite("requests to the listener other than the redirect")
struct RejectedRequestTests {
  /// Sends a request to a receiver for `/callback`, and returns the response and the report.
  private func send(
    _ method: String = "GET",
    _ path: String = "/callback",
    headers: [String: String] = [:]
  ) async throws -> (response: HTTPClient.Response, reasons: [String]) {
    let reasons = Mutex<[String]>([])
    let agent = localAgent(opensBrowser: false) { event in
      switch event {
      case .ignored(let reason), .refused(let reason): reasons.withLock { $0.append(reason) }
      default: break
      }
    }
    let uri = try await agent.listen(request("http://127.0.0.1/callback"))
    let origin = uri.dropLast("/callback".count)
    let response = try await HTTPClient.send(method, "\(origin)\(path)", headers: headers)
    await agent.end(showing: nil)
    return (response, reasons.withLock(\.self))
  }

  @Test("get a page, and their reason is reported")
  func page() async throws {
    for (target, status) in [("/callback?state=t", 400), ("/other", 404), ("/callback?state=%zz", 400)] {
      let (response, reasons) = try await send("GET", target)
      #expect(response.status == status && reasons.count == 1, "\(reasons)")
      #expect(response.header("content-type")?.hasPrefix("text/html") == true && response.body.contains("<html"))
    }
  }

  @Test(
    "an error without state is reported as unverified, and named when no other response arrives in time",
    arguments: [
      ("error=access_denied&error_description=f%FCr", "access_denied: f\u{fffd}r"), ("error=x&state=", "x"),
      ("error=x&state=t", nil), ("code=c", nil),
    ]
  )
  func withoutState(query: String, words: String?) async throws {
    let reasons = Mutex<[String]>([])
    let agent = localAgent(opensBrowser: false) { event in
      if case .refused(let reason) = event { reasons.withLock { $0.append(reason) } }
    }
    // The time is up as soon as it begins.
    let uri = try await agent.listen(request(timeout: .zero))
    #expect(try await HTTPClient.send("GET", "\(uri)?\(query)").status == 400)
    let address = try #require(URL(string: "https://idp.example/"))
    let error = await #expect(throws: AuthenticationError.self) { try await agent.authorize(at: address) }
    #expect(error?.code == .timedOut)
    for text in reasons.withLock(\.self) + [error?.message ?? ""] {
      #expect(text.contains("unverified error") == (words != nil), "\(text)")
      if let words { #expect(text.contains("the unverified error \"\(words)\""), "\(text)") }
    }
    #expect(reasons.withLock(\.self).count == 1)
  }

  @Test("a response by the other method is named when no other arrives in time")
  func otherMethod() async throws {
    let agent = localAgent(opensBrowser: false)
    let uri = try await agent.listen(request(timeout: .zero))
    let form = ["Content-Type": "application/x-www-form-urlencoded"]
    #expect(try await HTTPClient.send("POST", uri, headers: form, body: "code=c&state=s").status == 405)
    let address = try #require(URL(string: "https://idp.example/"))
    let error = await #expect(throws: AuthenticationError.self) { try await agent.authorize(at: address) }
    let words = "a response couldn't be used: it is a POST where the response mode sends GET"
    #expect(error?.message.hasSuffix(words) == true)
  }

  @Test("the response and the reason contain nothing of the request")
  func noEcho() async throws {
    for (method, target, headers) in [
      ("GET", "/marker", [:]), ("MARKER", "/callback", [:]), ("GET", "/callback?%marker", [:]),
      ("GET", "/callback?marker=marker", [:]), ("GET", "/callback", ["Sec-Fetch-Dest": "marker"]),
    ] as [(String, String, [String: String])] {
      let (response, reasons) = try await send(method, target, headers: headers)
      let shown = response.body + reasons.joined() + response.headers.map { $0.name + $0.value }.joined()
      #expect(!shown.lowercased().contains("marker"), "\(method) \(target)")
    }
  }
}

@Suite("a pasted redirect")
struct PastedRedirectTests {
  private func parameters(of address: String, _ uri: String = "http://localhost/back") throws -> [String] {
    try RedirectTarget(uri).parameters(of: address, port: 8400).map { "\($0.name)=\($0.value)" }
  }

  @Test("has the parameters of its query, including repeated ones")
  func accepted() throws {
    let all = try parameters(of: "http://localhost:8400/back?code=a%2Bb&state=s&state=t")
    #expect(all == ["code=a+b", "state=s", "state=t"])
    let denial = try parameters(of: "http://localhost:8400/back?error=access_denied&state=s")
    #expect(denial == ["error=access_denied", "state=s"])
    for (host, uri) in [("LOCALHOST", "localhost"), ("[::1]", "[::1]/"), ("localhost", "127.0.0.1/")] {
      #expect(try parameters(of: "http://\(host):8400/?code=a", "http://\(uri)") == ["code=a"])
    }
  }

  @Test(
    "is accepted as programs and the user copy it",
    arguments: [
      "http://localhost:8400/back?code=a#_=_", "\"http://localhost:8400/back?code=a\"",
      "<http://localhost:8400/back?code=a>", "'localhost:8400/back?code=a'", "127.0.0.1:8400/back?code=a",
      "http://127.0.0.1:8400/back?code=a", "http://local\nhost:8400/ba\r\n  ck?code=a\n",
    ]
  )
  func copied(address: String) throws {
    #expect(try parameters(of: address) == ["code=a"])
  }

  @Test(
    "is rejected if it isn't the redirect URI's",
    arguments: [
      "", "hello", "code=a&state=s", "http://localhost:8400/back", "http://localhost:8400/back?",
      "https://localhost:8400/back?code=a", "http://localhost:8401/back?code=a", "http://localhost/back?code=a",
      "http://[::1]:8400/back?code=a", "http://localhost:8400/other?code=a", "http://localhost:8400/back/?code=a",
      "http://localhost:8400@evil.example/back?code=a", "file:///back?code=a",
      "http://localhost:8400/back?code=" + String(repeating: "a", count: 17_000),
    ]
  )
  func rejected(address: String) {
    #expect(throws: Rejection.self) { try parameters(of: address) }
  }
}
