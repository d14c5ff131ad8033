@testable import MSAuthTransport
import Synchronization
import Testing

@testable import MSAuth

private func settings(_ change: (inout HTTPSettings) -> Void) -> HTTPSettings {
  var settings = HTTPSettings()
  change(&settings)
  return settings
}

@Suite("retries")
struct RetryTests {
  enum Attempt: Sendable {
    case status(Int)
    case later(Int)
    case lost
    case untrusted
  }

  /// Responds from a list, and fails after its end.
  private final class Script: HTTPTransport {
    private let attempts: Mutex<[Attempt]>

    init(_ attempts: [Attempt]) { self.attempts = Mutex(attempts) }

    private let attemptFields = Mutex<[String]>([])

    var left: Int { attempts.withLock { $0.count } }
    /// The attempt numbers, in order.
    var seen: [String] { attemptFields.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(AuthenticationError) -> HTTPResponse {
      attemptFields.withLock { $0 += request.headers.filter { $0.name == "Attempt" }.map(\.value) }
      let attempt = attempts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      switch attempt {
      case .status(let status): return HTTPResponse(status: status, headers: [], body: [])
      case .later(let status): return HTTPResponse(status: status, headers: [("Retry-After", "5")], body: [])
      case .lost: throw AuthenticationError(.unreachable, host: "h", "lost")
      case .untrusted: throw AuthenticationError(.tlsUntrusted, host: "h", "untrusted")
      case nil: throw AuthenticationError(.urlRefused, host: "h", "too many requests")
      }
    }
  }

  private static let atOnce = settings { $0.retryInterval = .zero }

  @Test(
    "a read is retried once after a server error or without a response",
    arguments: [
      (.get, [.status(503), .status(200)], 200),
      // The failing server may have done what a POST requests.
      (.post, [.status(504)], 504), (.delete, [.status(503)], 503), (.get, [.lost, .status(200)], 200),
      (.get, [.status(503), .status(503)], 503),
      // No second attempt is scripted.
      (.get, [.status(200)], 200), (.get, [.status(404)], 404), (.post, [.status(400)], 400),
      (.get, [.status(429)], 429), (.get, [.later(503)], 503), (.post, [.later(503)], 503),
    ] as [(HTTPRequest.Method, [Attempt], Int)]
  )
  func again(method: HTTPRequest.Method, attempts: [Attempt], status: Int) async throws {
    let script = Script(attempts)
    let transport = RetryingTransport(base: script, settings: Self.atOnce)
    #expect(try await transport.send(HTTPRequest(method, "https://h/")).status == status)
    #expect(script.left == 0)
  }

  @Test("what a receiver has taken isn't requested again")
  func receiver() async throws {
    let script = Script([.lost, .status(200)])
    var request = HTTPRequest(.get, "https://h/")
    request.receiver = { _, _ in true }
    let transport = RetryingTransport(base: script, settings: Self.atOnce)
    let error = await #expect(throws: AuthenticationError.self) { _ = try await transport.send(request) }
    #expect(error?.reason == .unreachable && script.left == 1)
  }

  @Test("single-use values are created again for each attempt")
  func rebuilt() async throws {
    let script = Script([.status(503), .status(503), .status(200)])
    let twice = settings { ($0.retryCount, $0.retryInterval) = (2, .zero) }
    let transport = RetryingTransport(base: script, settings: twice)
    #expect(try await transport.send(Self.numbered(0)).status == 200)
    #expect(script.seen == ["0", "1", "2"])
  }

  /// A request with its attempt number.
  private static func numbered(_ number: Int) -> HTTPRequest {
    var request = HTTPRequest(.get, "https://h/", headers: [("Attempt", "\(number)")])
    request.rebuild = { numbered(number + 1) }
    return request
  }

  @Test(
    "a request that may have used up a code, and a certificate error, aren't retried",
    arguments: [
      (.post, .lost, .unreachable), (.get, .untrusted, .tlsUntrusted),
    ] as [(HTTPRequest.Method, Attempt, AuthenticationError.Reason)]
  )
  func once(method: HTTPRequest.Method, attempt: Attempt, reason: AuthenticationError.Reason) async {
    let script = Script([attempt, .status(200)])
    let transport = RetryingTransport(base: script, settings: Self.atOnce)
    let error = await #expect(throws: AuthenticationError.self) {
      try await transport.send(HTTPRequest(method, "https://h/"))
    }
    #expect(error?.reason == reason)
    #expect(script.left == 1)
  }

  @Test(
    "invalid limits are rejected",
    arguments: [
      settings { $0.retryCount = -1 }, settings { $0.retryCount = 1000 },
      settings { $0.retryInterval = .seconds(-1) }, settings { $0.retryInterval = .seconds(1e12) },
      settings { $0.requestTimeout = .zero }, settings { $0.requestTimeout = .seconds(-1) },
    ]
  )
  func rejected(settings: HTTPSettings) async {
    var configuration = ClientConfiguration(clientID: "app", environment: ["HOME": "/nonexistent"])
    configuration.http = settings
    let error = await #expect(throws: AuthenticationError.self) {
      try await PublicClientApplication(configuration: configuration)
    }
    #expect(error?.reason == "http_settings_invalid")
  }
}
