import FlyingSocks
import Synchronization
import TestSupport
import Testing

@testable import MSAuthLoopback

@Suite("serving requests", .timeLimit(.minutes(10)))
struct ServingTests {
  @Test(
    "a request to ::1 or 127.0.0.1 gets a response, and its connection closes",
    arguments: [Browser.Address.ipv4, .ipv6]
  )
  func serves(over address: Browser.Address) async throws {
    let response = try await withListener { _, browser in try await browser.get("/?code=1", over: address) }
    #expect(response.status == 200 && response.header("Connection") == ["close"])
    #expect(response.hasSuffix("\r\n\r\nGET /\n"))
  }

  @Test("a form post's body is read completely")
  func body() async throws {
    let length = 60_000
    let response = try await withListener(respond: { .text(200, "\($0.body.count)") }) { _, browser in
      try await browser.exchange(
        "POST / HTTP/1.1\r\nHost: localhost:\(browser.port)\r\nContent-Length: \(length)\r\n\r\n"
          + String(repeating: "a", count: length)
      )
    }
    #expect(response.hasSuffix("\(length)\n"))
  }

  @Test("more idle connections than the limit don't block a request")
  func crowd() async throws {
    try await withListener(limits: .patient { $0.maximumConnections = 8 }) { _, browser in
      var idle: [AsyncSocket] = []
      for _ in 0..<40 { idle.append(try await browser.connect()) }
      defer { for socket in idle { try? socket.close() } }
      #expect(try await browser.get("/").status == 200)
      // The oldest idle connection was ended.
      #expect(await browser.rest(of: idle[0]) == "")
    }
  }

  @Test("a connection with a response is evicted before an older one without")
  func evictionOrder() async throws {
    let limits = ListenerLimits.patient { ($0.maximumConnections, $0.drainTimeout) = (2, .seconds(3600)) }
    try await withListener(limits: limits) { _, browser in
      let (slow, rejected) = (try await browser.connect(), try await browser.connect())
      defer { for socket in [slow, rejected] { try? socket.close() } }
      try await slow.write("GET / HTTP/1.1\r\n")
      try await rejected.write("GET / HTTP/9\r\n\r\n")
      #expect(await browser.rest(of: rejected).status == 505)
      #expect(try await browser.get("/").status == 200)
      try await slow.write("Host: localhost:\(browser.port)\r\n\r\n")
      #expect(await browser.rest(of: slow).status == 200)
    }
  }

  @Test("when every connection waits for a response, a new one gets 503")
  func full() async throws {
    let released = OneShot<Void>()
    let held = Mutex(0)
    try await withListener(
      limits: .patient { $0.maximumConnections = 3 },
      respond: { _ in
        held.withLock { $0 += 1 }
        try? await released.value()
        return .empty(200)
      }
    ) { _, browser in
      try await withThrowingTaskGroup(of: Int?.self) { group in
        for _ in 0..<3 { group.addTask { try await browser.get("/").status } }
        try await eventually("three requests") { held.withLock { $0 } == 3 }
        #expect(try await browser.get("/").status == 503)
        released.resume()
        for try await status in group { #expect(status == 200) }
      }
    }
  }

  @Test("a response may take longer than the request timeout")
  func slowResponse() async throws {
    let status = try await withGrowingTimeouts(until: 200) { limits in
      try await withListener(
        limits: limits,
        respond: { _ in
          try? await Task.sleep(for: limits.requestTimeout * 1.2)
          return .empty(200)
        }
      ) { _, browser in try await browser.get("/").status }
    }
    #expect(status == 200)
  }

  @Test("a response completes even if the browser disconnects")
  func browserLeaves() async throws {
    let (arrived, released, finished) = (OneShot<Void>(), OneShot<Void>(), OneShot<Void>())
    let canceled = Mutex(true)
    try await withListener(
      respond: { request in
        guard request.path == "/slow" else { return .empty(200) }
        arrived.resume()
        try? await released.value()
        canceled.withLock { $0 = Task.isCancelled }
        finished.resume()
        return .empty(200)
      }
    ) { _, browser in
      let socket = try await browser.connect()
      try await socket.write(browser.request("/slow"))
      try await arrived.value()
      try socket.close()
      #expect(try await browser.get("/").status == 200)
      released.resume()
      try await finished.value()
    }
    #expect(canceled.withLock { $0 } == false)
  }

  @Test("a peer that closes its sending side still gets its response")
  func halfOpen() async throws {
    let response = try await withListener { try await $1.exchange($1.request(), finishes: true) }
    #expect(response.status == 200)
  }

  @Test("HEAD gets the headers without a body")
  func head() async throws {
    let response = try await withListener(respond: { _ in .text(405, "No.") }) { _, browser in
      try await browser.exchange("HEAD / HTTP/1.1\r\nHost: localhost:\(browser.port)\r\n\r\n")
    }
    #expect(response.status == 405 && response.hasSuffix("\r\n\r\n"))
  }
}
