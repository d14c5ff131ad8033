import Foundation
import Loopback
import Core
import TestSupport
import Testing
import Transport

@testable import msauth_app

@Suite("the page's server, over sockets", .limitedConcurrencyFirst)
@MainActor
struct AppServerTests {
  /// A server with a controller that has no provider: device info is what it can do.
  struct Setup: Sendable {
    let home: Home
    let port: UInt16
    let link: String
    let controller: ViewController
    let running: Task<PageLiveness.End?, any Error>

    var base: String { "http://127.0.0.1:\(port)" }
    var cookieName: String { "msauth-app-\(port)" }

    @MainActor
    init(_ limits: AppServer.Limits = .init()) async throws {
      home = try Home()
      var environment = home.environment
      environment["MSAUTH_CLIENT_ID"] = "server-tests"
      environment["MSAUTH_STORE"] = "file"
      let listener = try LoopbackListener.bind(.ipv4, peerOwner: .system(isWSL: false))
      let oneTimeLink = OneTimeLink(port: listener.port, ticket: [1, 2], session: [3, 4])
      controller = ViewController(
        screen: Screen(),
        registration: try await Registration(environment: environment),
        transport: CurlTransport(environment: environment)
      )
      try controller.initMSAL()
      port = listener.port
      link = try #require(oneTimeLink.openingPath)
      let server = AppServer(listener, oneTimeLink: oneTimeLink, controller: controller, limits: limits)
      running = Task { try await server.run() }
    }

    /// Follows the link, as the browser does.
    func enter() async throws -> String {
      let answer = try await HTTPClient.send("GET", base + link)
      #expect(answer.status == 303 && answer.header("location") == "/")
      let cookie = try #require(answer.header("set-cookie"))
      return String(cookie.prefix { $0 != ";" })
    }

    func act(_ action: String, cookie: String, page: String = "testpage", revision: Int = -1) async throws
      -> HTTPClient.Response
    {
      try await HTTPClient.send(
        "POST",
        "\(base)/\(action)",
        headers: ["Cookie": cookie, "Origin": base, "Content-Type": "application/json"],
        body: #"{"page": "\#(page)", "revision": \#(revision)}"#
      )
    }
  }

  @Test("the link works once; then the cookie does")
  func story() async throws {
    let setup = try await Setup()
    defer { setup.running.cancel() }
    let cookie = try await setup.enter()
    #expect(try await HTTPClient.send("GET", setup.base + setup.link).status == 403)
    #expect(try await HTTPClient.send("GET", setup.base + setup.link, headers: ["Cookie": cookie]).status == 303)
    for (path, mediaType) in [("/", "text/html"), ("/app.css", "text/css"), ("/app.js", "text/javascript")] {
      let answer = try await HTTPClient.send("GET", setup.base + path, headers: ["Cookie": cookie])
      #expect(answer.status == 200 && answer.header("content-type") == "\(mediaType); charset=utf-8", "\(path)")
      #expect(answer.header("cache-control") == "no-store")
    }
    #expect(try await setup.act("device-info", cookie: cookie).status == 200)
    _ = try await eventually("the device's mode in the log") { () async throws -> Bool? in
      try await setup.act("changes", cookie: cookie).body.contains("Device is in the") ? true : nil
    }
  }

  @Test("a foreign request is refused and changes nothing; the link is good afterwards")
  func strangers() async throws {
    let setup = try await Setup()
    defer { setup.running.cancel() }
    let cookie = "\(setup.cookieName)=\(Base64URL.encode([3, 4]))"
    let body = #"{"page": "testpage"}"#
    let own = ["Host: 127.0.0.1:\(setup.port)", "Origin: \(setup.base)", "Cookie: \(cookie)"]
    let rest = ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"]
    let hostile: [[String]] = [
      [own[0], own[1]],
      [own[0], own[1], "Cookie: \(setup.cookieName)=guess"],
      [own[0], own[2]],
      [own[0], "Origin: https://evil.example", own[2]],
      [own[0], "Origin: http://127.0.0.1:1", own[2]],
      [own[0], "Origin: null", own[2]],
      [own[0], own[1], own[2], "Sec-Fetch-Site: cross-site"],
      [own[0], own[1], own[2], "Sec-Fetch-Site: same-site"],
      ["Host: localhost:\(setup.port)", own[1], own[2]],
    ]
    let revision = setup.controller.screen.revision
    let probe = RawHTTPClient(port: setup.port)
    for headers in hostile {
      let answer = try await probe.send("POST /device-info HTTP/1.1", headers + rest, body: body)
      #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(headers): \(answer)")
      #expect(!answer.lowercased().contains("access-control"), "\(answer)")
    }
    let foreignHosts = [
      ["Host: evil.example", own[1], own[2]],
      ["Host: evil.example:\(setup.port)", "Origin: http://evil.example:\(setup.port)", own[2]],
    ]
    for headers in foreignHosts {
      let answer = try await probe.send("POST /device-info HTTP/1.1", headers + rest, body: body)
      #expect(answer.hasPrefix("HTTP/1.1 421 "), "\(headers): \(answer)")
      #expect(!answer.lowercased().contains("access-control"), "\(answer)")
    }
    let foreign = try await probe.send("GET \(setup.link) HTTP/1.1", ["Host: evil.example:\(setup.port)"])
    #expect(foreign.hasPrefix("HTTP/1.1 421 "))
    let image = try await probe.send("GET \(setup.link) HTTP/1.1", [own[0], "Sec-Fetch-Site: cross-site"])
    #expect(image.hasPrefix("HTTP/1.1 403 "))
    #expect(setup.controller.screen.revision == revision)
    #expect(try await setup.enter() == cookie)
  }

  @Test("a page that waits learns of a change at once")
  func changes() async throws {
    let setup = try await Setup()
    defer { setup.running.cancel() }
    let cookie = try await setup.enter()
    let revision = setup.controller.screen.revision
    async let waiting = setup.act("changes", cookie: cookie, revision: revision)
    setup.controller.updateLogging(text: "news")
    #expect(try await waiting.body.contains("news"))
  }

  @Test("it ends when its page is left, not while another is open")
  func leaving() async throws {
    var limits = AppServer.Limits()
    limits.pollInterval = .milliseconds(10)
    // A page counts as open from its first request on, which may take its time on a busy machine.
    limits.pageLiveness.reload = .seconds(10)
    limits.changes = .milliseconds(10)
    let setup = try await Setup(limits)
    let cookie = try await setup.enter()
    for page in ["firstpage", "secondpage"] { _ = try await setup.act("changes", cookie: cookie, page: page) }
    _ = try await setup.act("leave", cookie: cookie, page: "firstpage")
    #expect(try await setup.act("changes", cookie: cookie, page: "secondpage").status == 200)
    _ = try await setup.act("leave", cookie: cookie, page: "secondpage")
    #expect(try await setup.running.value == .closed)
    #expect(!RawHTTPClient(port: setup.port).isOpen)
  }

  @Test("it ends when the browser was killed, and when nobody comes")
  func silence() async throws {
    var limits = AppServer.Limits()
    limits.pollInterval = .milliseconds(10)
    limits.changes = .milliseconds(10)
    limits.pageLiveness.silence = .seconds(3)
    let killed = try await Setup(limits)
    let cookie = try await killed.enter()
    _ = try await killed.act("changes", cookie: cookie)
    #expect(try await killed.running.value == .silent)

    limits.pageLiveness.opening = .milliseconds(50)
    #expect(try await Setup(limits).running.value == .neverOpened)
  }

  /// A page of these tests asks in time, however busy the machine is.
  private static var longLimits: AppServer.Limits {
    var limits = AppServer.Limits()
    limits.informing = .seconds(120)
    return limits
  }

  @Test("a page that waits when it is interrupted learns that it is over")
  func interrupted() async throws {
    let setup = try await Setup(Self.longLimits)
    let cookie = try await setup.enter()
    let revision = setup.controller.screen.revision
    let waiting = Task { try await setup.act("changes", cookie: cookie, revision: revision) }
    _ = try await eventually("the waiting page") { setup.controller.screen.isAwaited ? true : nil }
    setup.running.cancel()
    #expect(try await waiting.value.body.contains(#""ended":true"#))
    #expect(try await setup.running.value == nil)
  }

  @Test("a page that is between two requests when the application is interrupted learns it with the next one")
  func interruptedBetweenRequests() async throws {
    let setup = try await Setup(Self.longLimits)
    let cookie = try await setup.enter()
    // A revision that is not the screen's is answered at once, so that nothing is held when the application ends.
    _ = try await setup.act("changes", cookie: cookie, revision: setup.controller.screen.revision - 1)
    setup.running.cancel()
    _ = try await eventually("the end") { setup.controller.screen.hasEnded ? true : nil }
    let next = try await setup.act("changes", cookie: cookie, revision: setup.controller.screen.revision)
    #expect(next.body.contains(#""ended":true"#))
    #expect(try await setup.running.value == nil)
  }
}
