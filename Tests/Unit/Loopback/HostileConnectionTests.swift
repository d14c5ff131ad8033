import Synchronization
import Testing

@testable import MSAuthLoopback

@Suite("malformed connections", .timeLimit(.minutes(10)))
struct HostileConnectionTests {
  @Test("an incomplete request is closed without a response")
  func truncated() async throws {
    let response = try await withListener { _, browser in try await browser.exchange("GET / HTT", finishes: true) }
    #expect(response == "")
  }

  @Test("a slow header gets 408", arguments: ["G", "GET / HTTP/1.1\r\nHost:"])
  func slowHeader(_ start: String) async throws {
    // An empty connection gets no response.
    let status = try await withGrowingTimeouts(until: 408) { limits in
      try await withListener(limits: limits) { _, browser in try await browser.exchange(start).status }
    }
    #expect(status == 408)
  }

  @Test("a silent connection is closed without a response")
  func silent() async throws {
    let limits = ListenerLimits.patient { $0.requestTimeout = .milliseconds(150) }
    #expect(try await withListener(limits: limits) { _, browser in try await browser.exchange("") } == "")
  }

  @Test("a TLS handshake is closed at once and reported")
  func tls() async throws {
    let log = EventLog()
    let response = try await withListener(onEvent: log.add) { _, browser in
      try await browser.exchange("\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{7C}\u{3}\u{3}")
    }
    #expect(response == "" && log.events == [.tlsHandshake])
  }

  @Test("a 1 MB header is rejected, and the response arrives")
  func hugeHeader() async throws {
    let response = try await withListener { _, browser in
      try await browser.exchange(
        "GET / HTTP/1.1\r\nHost: localhost:\(browser.port)\r\nCookie: " + String(repeating: "a", count: 1 << 20)
      )
    }
    #expect(response.status == 431)
  }

  @Test(
    "a request with a foreign Host never reaches the handler",
    arguments: [
      "localhost", "localhost:1", "localhost:PORT", "localhost.attacker.com:PORT", "localhost.attacker.com",
      "attacker.com", "attacker.example:80", "127.0.0.1:1", "[::1]:PORT", "localhost:PORT.", "localhost.:PORT",
      "localhost:0PORT", "user@localhost:PORT", "xlocalhost:PORT", "localhost:PORT, a", "localho\u{17F}t:PORT",
    ]
  )
  func foreignHost(_ host: String) async throws {
    let isReached = Mutex(false)
    let log = EventLog()
    let respond: @Sendable (LoopbackRequest) async -> LoopbackResponse = { _ in
      isReached.withLock { $0 = true }
      return .empty(200)
    }
    let response = try await withListener(.ipv4, onEvent: log.add, respond: respond) { _, browser in
      let host = host.split(separator: "PORT", omittingEmptySubsequences: false).joined(separator: "\(browser.port)")
      return try await browser.exchange("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    }
    #expect(log.events == [.rejected(status: 421, reason: "its Host header is foreign")])
    #expect(response.status == 421 && !isReached.withLock { $0 })
  }
}
