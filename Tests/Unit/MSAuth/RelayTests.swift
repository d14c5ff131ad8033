import Core
import Desktop
import FoundationEssentials
import Loopback
import Synchronization
import TestSupport
import Testing

@testable import MSAuth

@Suite("The two ends of a sign-in with the browser on another computer")
struct RelayTests {
  private func line(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test("a request arrives with what decides of it, and with nothing of other programs")
  func request() throws {
    let sent = LoopbackRequest(
      method: "POST",
      path: "/back",
      query: nil,
      headers: [("host", "localhost:1"), ("cookie", "other=secret"), ("sec-fetch-mode", "navigate")],
      host: "localhost:1",
      body: [0x00, 0xFF, 0x0A]
    )
    let bytes = BrowserEndMessage.request(id: 7, sent).line
    #expect(!bytes.contains(UInt8(ascii: "\n")) && !String(decoding: bytes, as: UTF8.self).contains("secret"))
    guard case .request(7, let came) = try BrowserEndMessage(bytes) else {
      Issue.record("no request")
      return
    }
    #expect(came.method == "POST" && came.path == "/back" && came.query == nil && came.body == sent.body)
    #expect(came.headers.map(\.name) == ["sec-fetch-mode"] && came.host == "localhost:1")
  }

  @Test(
    "what is no message is refused, whoever sent it",
    arguments: [
      "", "{", "[]", "null", "{}", #"{"a":1,"a":2}"#, #"{"unknown":{}}"#,
      #"{"listening":{"port":0,"recognises_users":true}}"#,
      #"{"listening":{"port":65536,"recognises_users":true}}"#, #"{"listening":{"port":1}}"#, #"{"arguments":[1]}"#,
      #"{"arguments":"login"}"#, #"{"not_listening":{"kind":"other","port":1,"message":""}}"#, #"{"request":{"id":1}}"#,
      #"{"request":{"id":1,"method":"GET","path":"/","host":"h","headers":[["a"]],"body":""}}"#,
      #"{"request":{"id":1,"method":"GET","path":"/","host":"h","headers":[],"body":"*"}}"#,
      #"{"listen":{"host":"0.0.0.0","port":0}}"#, #"{"listen":{"host":"localhost","port":-1}}"#,
      #"{"response":{"id":1,"status":99}}"#, #"{"response":{"status":200}}"#, #"{"open":{"link":"x"}}"#,
      #"{"waiting":{"seconds":-1,"hint":""}}"#, #"{"waiting":{"seconds":1e9,"hint":""}}"#, #"{"refused":1}"#,
    ]
  )
  func junk(text: String) {
    #expect(throws: Refusal.self) { try BrowserEndMessage(line(text)) }
    #expect(throws: Refusal.self) { try SignInEndMessage(line(text)) }
  }

  @Test("a line that is too large is refused")
  func tooLarge() {
    let large = line(#"{"refused":"\#(String(repeating: "a", count: RelayLimits.maximumLineBytes))"}"#)
    #expect(throws: Refusal.self) { try SignInEndMessage(large) }
  }

  @Test("words of the other end cannot move the cursor")
  func printable() throws {
    guard case .refused(let reason) = try SignInEndMessage(line(#"{"refused":"a\u001b[2Jb"}"#)) else {
      Issue.record("no message")
      return
    }
    #expect(reason == "a[2Jb")
  }

  @Test("a page and a redirect are the same at the other end")
  func responses() throws {
    let page = LoopbackResponse.page(html: "<p>é</p>", styleSource: "sha256-abc+/=", status: 400)
    var refusal = LoopbackResponse.empty(405)
    refusal.headers.append(("Allow", "POST"))
    let sent: [LoopbackResponse] = [
      page, refusal, .redirect(to: "https://idp.example/authorize?a=b"), .seeOther("/result/x"), .empty(404),
    ]
    for response in sent {
      let bytes = SignInEndMessage.response(id: 1, RelayedResponse(response)).line
      guard case .response(1, let came) = try SignInEndMessage(bytes) else {
        Issue.record("no response")
        return
      }
      #expect(came.response.status == response.status && came.response.body == response.body)
      #expect(came.response.headers.map { "\($0)" } == response.headers.map { "\($0)" })
    }
  }

  @Test(
    "no response opens another address than a browser may, or loosens the page's policy",
    arguments: [
      RelayedResponse(status: 303, location: "javascript:alert(1)"),
      RelayedResponse(status: 303, location: "file:///x"),
      RelayedResponse(status: 303, location: "http://example.org/"),
      RelayedResponse(status: 303, location: "https://a.example/\r\nSet-Cookie: a=b"),
      RelayedResponse(status: 200, html: "<p>", styleSource: "sha256-a'; script-src 'unsafe-inline"),
      RelayedResponse(status: 200, html: "<p>", styleSource: "unsafe-inline"),
    ]
  )
  func hostile(response: RelayedResponse) {
    #expect(response.response.status == 502 && !response.response.headers.contains { $0.name == "Location" })
  }

  @Test(
    "a path that leads elsewhere becomes this listener's root",
    arguments: ["//evil.example/", "/\\evil.example", "/a?b"]
  )
  func path(location: String) {
    let response = RelayedResponse(status: 303, location: location).response
    #expect(response.headers.first { $0.name == "Location" }?.value == "/")
  }

  @Test("what is no navigation, and what comes while many requests wait, is answered here and never crosses")
  func flood() async throws {
    let relayed = Mutex<[Int64]>([])
    let listening = OneShot<UInt16>()
    let end = BrowserEnd(
      name: "remote",
      session: DesktopSession(environment: [:]),
      browser: Opener(),
      opensBrowser: false,
      report: { _ in },
      send: { message in
        switch message {
        case .request(let id, _): relayed.withLock { $0.append(id) }
        case .listening(let port, _): listening.resume(port)
        case .begin, .notListening: break
        }
      }
    )
    try await end.receive(.listen(.ipv4, port: 0))
    let port = try await listening.value()
    let (probe, host) = (RawHTTPClient(port: port), "Host: 127.0.0.1:\(port)")
    let fetched = try await probe.send("GET / HTTP/1.1", [host, "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: empty"])
    #expect(fetched.hasPrefix("HTTP/1.1 403 "), "\(fetched)")

    let most = RelayLimits.maximumRequests
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<most { group.addTask { try await probe.send("GET /?junk HTTP/1.1", [host]) } }
      let ids = try await eventually("all requests") {
        relayed.withLock { $0.count < most ? nil : $0 }
      }
      let refused = try await probe.send("GET / HTTP/1.1", [host])
      #expect(refused.hasPrefix("HTTP/1.1 503 "), "\(refused)")
      for id in ids { try await end.receive(.response(id: id, RelayedResponse(status: 404))) }
      for try await answer in group { #expect(answer.hasPrefix("HTTP/1.1 404 "), "\(answer)") }
    }
    #expect(relayed.withLock(\.count) == most)

    async let answer = probe.send("GET /?code=c HTTP/1.1", [host])
    let last = try await eventually("the next request") { relayed.withLock { $0.count > most ? $0.last : nil } }
    try await end.receive(.response(id: last, RelayedResponse(status: 303, location: "/result")))
    #expect(try await answer.hasPrefix("HTTP/1.1 303 "))
    await end.close()
  }

  @Test("a request beyond those that may wait is answered all the same")
  func tooManyRequests() throws {
    let refused = Mutex<[Int64]>([])
    let end = SignInEnd { message in
      guard case .response(let id, let response) = message, response.status == 503 else { return }
      refused.withLock { $0.append(id) }
    }
    let request = LoopbackRequest(method: "GET", path: "/", host: "localhost:1")
    let count = Int64(RelayLimits.maximumRequests)
    for id in 1...count + 1 { try end.receive(.request(id: id, request)) }
    #expect(refused.withLock { $0 } == [count + 1])
  }

  @Test(
    "text from the other end is marked with its name",
    arguments: [
      #"{"refused":"x\nmsauth: run y"}"#, #"{"ignored":"x\nmsauth: run y"}"#,
      #"{"waiting":{"seconds":1,"hint":"x\nmsauth: run y"}}"#,
    ]
  )
  func marked(text: String) async throws {
    let words = OneShot<String>()
    let end = BrowserEnd(
      name: "remote",
      session: DesktopSession(environment: [:]),
      browser: Opener(),
      opensBrowser: false,
      report: { event in
        switch event {
        case .refused(let reason), .ignored(let reason): words.resume(reason)
        case .waiting(_, let hint): words.resume(hint.description)
        default: break
        }
      },
      send: { _ in }
    )
    try await end.receive(SignInEndMessage(line(text)))
    #expect(words.current == "remote: x msauth: run y")
  }

  private final class Opener: BrowserOpening {
    let opened = OneShot<URL>()
    func open(_ url: URL, onStart: @escaping @Sendable () -> Void) async throws(Failure) -> String {
      opened.resume(url)
      return "a test"
    }
  }

  @Test("the browser opens a link made on this side, whatever the other end sends; one listener at a time, one link")
  func opening() async throws {
    let (opener, sent) = (Opener(), OneShot<BrowserEndMessage>())
    let end = BrowserEnd(
      name: "remote",
      session: DesktopSession(environment: [:]),
      browser: opener,
      opensBrowser: true,
      report: { _ in },
      send: { sent.resume($0) }
    )
    let address = "https://idp.example/authorize?a=$(touch$IFS)x&url=https://evil.example/"
    let text = #"{"open":{"address":"\#(address)","link":"http://127.0.0.1:PORT/go/x&url=https://evil.example/"}}"#
    await #expect(throws: Refusal.self) { try await end.receive(.open(address: address)) }
    try await end.receive(.listen(.ipv4, port: 0))
    guard case .listening(let port, let recognisesUsers) = try await sent.value() else {
      Issue.record("it does not listen")
      return
    }
    await #expect(throws: Refusal.self) { try await end.receive(.listen(.ipv4, port: 0)) }
    for address in ["javascript:x", "http://idp.example/", "-x", "file:///etc/passwd"] {
      await #expect(throws: Refusal.self, "\(address)") { try await end.receive(.open(address: address)) }
    }
    try await end.receive(SignInEndMessage(line(text.replacing("PORT", with: "\(port)"))))
    let opened = try await opener.opened.value().absoluteString
    let prefix = "http://127.0.0.1:\(port)/go/"
    #expect(opened.hasPrefix(prefix) && Base64URL.decode(String(opened.dropFirst(prefix.count)))?.count == 16)
    await #expect(throws: Refusal.self) { try await end.receive(.open(address: address)) }

    let (probe, host) = (RawHTTPClient(port: port), "Host: 127.0.0.1:\(port)")
    let path = opened.dropFirst(prefix.count - "/go/".count)
    let redirected = try await probe.send("GET \(path) HTTP/1.1", [host])
    #expect(redirected.contains("\r\nLocation: \(address)\r\n"), "\(redirected)")
    let again = try await probe.send("GET \(path) HTTP/1.1", [host])
    #expect(again.hasPrefix(recognisesUsers ? "HTTP/1.1 303 " : "HTTP/1.1 410 "), "\(again)")
    await end.close()
  }
}
