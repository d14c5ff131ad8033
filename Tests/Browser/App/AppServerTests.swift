import MSAuthLoopback
import MSAuthTransport
import TestSupport
import Testing

@testable import msauth_app

@Suite("the page's server", .limitedConcurrencyFirst)
@MainActor
struct AppServerTests {
  /// A server whose controller has no provider; it can still report device info.
  struct Setup: Sendable {
    let home: Home
    let port: UInt16
    let link: String
    let controller: ViewController
    let running: Task<Bool, any Error>

    var base: String { "http://127.0.0.1:\(port)" }

    @MainActor
    init(_ limits: AppServer.Limits = .init()) async throws {
      home = try Home()
      var environment = home.environment
      environment["MSAUTH_CLIENT_ID"] = "server-tests"
      environment["MSAUTH_STORE"] = "file"
      let listener = try LoopbackListener(.ipv4, peerOwner: .system(isWSL: false))
      let oneTimeLink = OneTimeLink(port: listener.port, ticket: [1, 2], session: [3, 4])
      controller = ViewController(
        screen: Screen(),
        registration: try await Registration(environment: environment),
        transport: CurlTransport(environment: environment)
      )
      try controller.initMSAL()
      port = listener.port
      link = try #require(oneTimeLink.path)
      let server = AppServer(listener, oneTimeLink: oneTimeLink, controller: controller, limits: limits)
      running = Task { try await server.run() }
    }

    func open() async throws -> String {
      let response = try await HTTPClient.send("GET", base + link)
      #expect(response.status == 303 && response.header("location") == "/")
      let cookie = try #require(response.header("set-cookie"))
      return String(cookie.prefix { $0 != ";" })
    }

    func act(_ action: String, cookie: String, revision: Int = -1) async throws -> HTTPClient.Response {
      try await HTTPClient.send(
        "POST",
        "\(base)/\(action)",
        headers: ["Cookie": cookie, "Origin": base, "Content-Type": "application/json"],
        body: #"{"revision": \#(revision)}"#
      )
    }
  }

  @Test("the link works once, then the cookie")
  func linkThenCookie() async throws {
    let setup = try await Setup()
    defer { setup.running.cancel() }
    let cookie = try await setup.open()
    #expect(try await HTTPClient.send("GET", setup.base + setup.link).status == 403)
    #expect(try await HTTPClient.send("GET", setup.base + setup.link, headers: ["Cookie": cookie]).status == 303)
    for (path, mediaType) in [("/", "text/html"), ("/app.css", "text/css"), ("/app.js", "text/javascript")] {
      let response = try await HTTPClient.send("GET", setup.base + path, headers: ["Cookie": cookie])
      #expect(response.status == 200 && response.header("content-type") == "\(mediaType); charset=utf-8", "\(path)")
      #expect(response.header("cache-control") == "no-store")
    }
    #expect(try await setup.act("device-info", cookie: cookie).status == 200)
    _ = try await eventually("the device's mode in the log") { () async throws -> Bool? in
      try await setup.act("changes", cookie: cookie).body.contains("Device is in the") ? true : nil
    }
  }

  @Test("closing the last page ends it; another open page or a reload doesn't")
  func leaving() async throws {
    let setup = try await Setup(.init(changes: .seconds(600), reload: .seconds(10), pollInterval: .milliseconds(10)))
    let cookie = try await setup.open()
    _ = try await setup.act("changes", cookie: cookie)
    let revision = setup.controller.screen.revision
    async let otherPage = setup.act("changes", cookie: cookie, revision: revision)
    _ = try await eventually("the waiting page") { setup.controller.screen.isAwaited ? true : nil }
    _ = try await setup.act("leave", cookie: cookie)
    #expect(try await otherPage.status == 200)
    // A reload: the new page is delivered before the old one leaves, and takes its time.
    #expect(try await HTTPClient.send("GET", setup.base + "/", headers: ["Cookie": cookie]).status == 200)
    _ = try await setup.act("leave", cookie: cookie)
    _ = try await setup.act("changes", cookie: cookie)
    _ = try await setup.act("leave", cookie: cookie)
    #expect(try await setup.running.value)
    #expect(!RawHTTPClient(port: setup.port).isOpen)
  }

  @Test("a page that is loading isn't closed by the one that it replaces")
  func reload() async throws {
    let setup = try await Setup(.init(reload: .zero, pollInterval: .milliseconds(1)))
    defer { setup.running.cancel() }
    let cookie = try await setup.open()
    _ = try await setup.act("leave", cookie: cookie)
    for _ in 0..<20 {
      #expect(try await HTTPClient.send("GET", setup.base + "/app.js", headers: ["Cookie": cookie]).status == 200)
    }
  }

  @Test("silence ends it, and so does a page that is never opened")
  func silence() async throws {
    var limits = AppServer.Limits(silence: .milliseconds(50), pollInterval: .milliseconds(10))
    let killed = try await Setup(limits)
    _ = try await killed.act("changes", cookie: try await killed.open())
    #expect(try await killed.running.value)

    limits.opening = .milliseconds(50)
    #expect(try await Setup(limits).running.value == false)
  }
}
