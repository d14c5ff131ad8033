import MSAuthCache
import MSAuthCrypto
import MSAuthOAuth
import Synchronization
import TestSupport
import Testing

@testable import MSAuth

@Suite("requests to the listener that are no redirect")
struct RefusedRequestTests {
  /// Sends one request to a receiver that waits for a redirect to `/callback`, and returns what is reported of it too.
  private func answer(
    _ method: String = "GET",
    _ path: String = "/callback",
    headers: [String: String] = [:],
    responseMode: ResponseMode = .query
  ) async throws -> (response: HTTPClient.Response, reasons: [String]) {
    let reasons = Reasons()
    var dependencies = Dependencies.offline(MemoryStore())
    dependencies.random = SystemRandom()
    let configuration = ClientConfiguration(clientID: "c", environment: [:])
    let context = Context(configuration: configuration, dependencies: dependencies)
    let agent = LocalUserAgent(context, opensBrowser: false) { event in
      switch event {
      case .ignored(let reason), .refused(let reason): reasons.add(reason)
      default: break
      }
    }
    let uri = try await agent.listen(
      RedirectRequest(
        redirectURI: "http://127.0.0.1/callback",
        state: "ours",
        responseMode: responseMode,
        timeout: .seconds(100),
        isMicrosoft: false
      )
    )
    let origin = uri.dropLast("/callback".count)
    let response = try await HTTPClient.send(method, "\(origin)\(path)", headers: headers)
    await agent.end(showing: nil)
    return (response, reasons.all)
  }

  private final class Reasons: Sendable {
    private let list = Mutex<[String]>([])

    var all: [String] { list.withLock { $0 } }
    func add(_ reason: String) { list.withLock { $0.append(reason) } }
  }

  @Test("a person gets a page, and the reason is reported")
  func page() async throws {
    for (target, status) in [("/callback?state=s", 400), ("/other", 404), ("/callback?state=%zz", 400)] {
      let (response, reasons) = try await answer("GET", target)
      #expect(response.status == status)
      #expect(response.header("content-type")?.hasPrefix("text/html") == true)
      #expect(response.body.contains("<html"))
      #expect(reasons.count == 1, "\(reasons)")
    }
  }

  @Test("the browser's icon request is answered without a body")
  func icon() async throws {
    let (response, _) = try await answer("GET", "/favicon.ico")
    #expect(response.status == 404)
    #expect(response.body.isEmpty)
  }

  @Test("another method is refused, and the right one is named", arguments: [ResponseMode.query, .formPost])
  func method(_ mode: ResponseMode) async throws {
    let (response, _) = try await answer("PUT", responseMode: mode)
    #expect(response.status == 405)
    #expect(response.header("allow") == (mode == .query ? "GET" : "POST"))
  }

  @Test("a CORS preflight is given no permission")
  func preflight() async throws {
    let headers = [
      "Origin": "https://evil.example", "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Private-Network": "true",
    ]
    let (response, _) = try await answer("OPTIONS", headers: headers, responseMode: .formPost)
    #expect(response.status == 405)
    #expect(!response.headers.contains { $0.name.hasPrefix("access-control") })
  }

  @Test("nothing of the request is in the answer or the reason")
  func noEcho() async throws {
    for (method, target, headers) in [
      ("GET", "/marker", [:]), ("MARKER", "/callback", [:]), ("GET", "/callback?%marker", [:]),
      ("GET", "/callback?marker=marker", [:]), ("GET", "/callback", ["Sec-Fetch-Dest": "marker"]),
    ] as [(String, String, [String: String])] {
      let (response, reasons) = try await answer(method, target, headers: headers)
      let shown = response.body + reasons.joined() + response.headers.map { $0.name + $0.value }.joined()
      #expect(!shown.lowercased().contains("marker"), "\(method) \(target)")
    }
  }
}
