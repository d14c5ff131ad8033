@testable import DemoProvider
import MSAuthCrypto
@testable import MSAuthTransport
import Synchronization
import TestSupport
import Testing

@testable import MSAuth

@Suite("device code sign-in (RFC 8628)", .limitedConcurrency)
struct DeviceCodeTests {
  @Test("slow_down applies to all later polls, and the sign-in completes")
  func slowDown() async throws {
    let (fixture, device) = try await deviceFixture([.deviceSlowDown])
    // The code is entered after the third poll: the first is slowed, and the others keep the longer pause.
    device.onPause { if $0 == 4 { try await device.walk() } }
    let token = try await device.signIn(to: fixture)
    #expect(try await fixture.use(token) == [200, 200])
    #expect(device.pauses == [1, 6, 6, 6])
    #expect(await fixture.requests(for: "/oidc/token").map(\.status) == [400, 400, 400, 200])
  }

  enum Unsupported: CaseIterable { case queryParameters, maxAge, requirements }

  @Test("what a device code can't carry is rejected before a code is shown", arguments: Unsupported.allCases)
  func unsupported(_ parameter: Unsupported) async throws {
    let (fixture, device) = try await deviceFixture()
    let error = try await failure {
      try await device.signIn(to: fixture) { parameters in
        switch parameter {
        case .queryParameters: parameters.extraQueryParameters = ["a": "b"]
        case .maxAge: parameters.interaction?.maxAge = .seconds(60)
        case .requirements:
          parameters.requirements = ResourceRequirements(claims: #"{"userinfo":{}}"#)
          parameters.requirements?.acrValues = "mfa"
        }
      }
    }
    #expect(error.reason == "device_code_parameter" && device.code == nil)
  }

  @Test(
    "a busy provider is polled less often, respecting Retry-After, and normally once it recovers",
    arguments: [(.token429RetryAfter, [1, 7, 1]), (.token503RetryAfter, [1, 2, 1]), (.token503, [1, 2, 1])]
      as [(Fault, [Int64])]
  )
  func busy(_ fault: Fault, _ pauses: [Int64]) async throws {
    let (fixture, device) = try await deviceFixture([fault])
    device.onPause { number in
      if number == 2 { await fixture.provider.set(faults: []) }
      if number == 3 { try await device.walk() }
    }
    let token = try await device.signIn(to: fixture)
    #expect(try await fixture.use(token) == [200, 200])
    #expect(device.pauses == pauses)
  }

  @Test("an unreachable provider is polled with increasing pauses, up to a limit, and normally once it recovers")
  func unreachable() async throws {
    let network = Network()
    let (fixture, device) = try await deviceFixture([.deviceSlowDown], transport: network)
    device.onPause { number in
      // The first poll is slowed down, and the second to last succeeds.
      network.isDown = (2...8).contains(number)
      if number == 10 { try await device.walk() }
    }
    let token = try await device.signIn(to: fixture)
    #expect(try await fixture.use(token) == [200, 200])
    #expect(device.pauses == [1, 6, 12, 24, 48, 60, 60, 60, 60, 6])
  }

  @Test("a provider that stays busy is reported as unavailable, not as a timeout")
  func busyToTheEnd() async throws {
    let (fixture, device) = try await deviceFixture([.token503])
    var error: AuthenticationError?
    // A busy machine may take a second until the first response.
    for seconds in [1, 8, 64] where error?.reason != "server_unavailable" {
      error = await #expect(throws: AuthenticationError.self) {
        try await device.signIn(to: fixture) { $0.interaction?.timeout = .seconds(seconds) }
      }
    }
    #expect(error?.code == .providerUnreachable && error?.reason == "server_unavailable", "\(error as Any)")
  }

  @Test("the error distinguishes the caller's timeout from the code's expiry", arguments: [true, false])
  func late(isCallers: Bool) async throws {
    let (fixture, device) = try await deviceFixture()
    device.onPause { _ in
      // The timeout ends the wait; otherwise the code expires, and the provider returns that.
      if isCallers { try await Task.sleep(for: .seconds(3600)) } else { fixture.clock.advance(by: 3600) }
    }
    let error = try await failure {
      try await device.signIn(to: fixture) { $0.interaction?.timeout = isCallers ? .milliseconds(1) : nil }
    }
    let expected: (AuthenticationError.Reason, Hint) =
      isCallers ? ("device_code_not_entered", .longerTimeout) : ("device_code_expired", .tryAgain)
    #expect(error.code == .timedOut && error.reason == expected.0 && error.hint == expected.1, "\(error)")
  }

  @Test("Microsoft receives the correlation ID with the first request, and returns it in its error")
  func correlation() async throws {
    let id = "6b7b7a44-0000-4000-8000-00000000c0de"
    let (fixture, device) = try await deviceFixture(kind: .entra("common"))
    let error = try await failure {
      try await device.signIn(to: fixture) { ($0.scopes, $0.correlationID) = (["Unheard.Of"], id) }
    }
    #expect(error.provider?.error == "invalid_scope" && error.provider?.correlationID == id, "\(error)")
  }
}

/// A network that a test can disconnect.
private final class Network: HTTPTransport {
  private let base = CurlTransport(environment: [:])
  private let down = Mutex(false)

  var isDown: Bool {
    get { down.withLock { $0 } }
    set { down.withLock { $0 = newValue } }
  }

  func send(_ request: HTTPRequest) async throws(AuthenticationError) -> HTTPResponse {
    if isDown { throw AuthenticationError(.unreachable, host: "id.example", "there is no network") }
    return try await base.send(request)
  }
}

/// Another device, whose user acts during the application's pauses, which only advance the clock.
private final class OtherDevice: Sendable {
  private struct State {
    var pauses: [Int64] = []
    var action: @Sendable (Int) async throws -> Void = { _ in }
    var code: DeviceCode?
  }

  private let clock: TestClock
  private let state = Mutex(State())

  init(clock: TestClock) { self.clock = clock }

  var code: DeviceCode? { state.withLock(\.code) }

  /// In seconds.
  var pauses: [Int64] { state.withLock { $0.pauses } }

  /// Runs an action during each pause, numbered from 1.
  func onPause(_ action: @escaping @Sendable (Int) async throws -> Void) { state.withLock { $0.action = action } }

  func pause(seconds: Int64) async throws {
    let (number, action) = state.withLock { state in
      state.pauses.append(seconds)
      return (state.pauses.count, state.action)
    }
    clock.advance(by: seconds)
    try await action(number)
  }

  /// Shows the user the code of a sign-in, and waits for its end.
  func signIn(
    to fixture: ApplicationFixture,
    _ adjust: (inout TokenParameters) -> Void = { _ in }
  ) async throws -> TokenResult {
    var parameters = TokenParameters(scopes: ["User.Read"])
    adjust(&parameters)
    return try await fixture.application.signIn(with: parameters) { [self] code in
      state.withLock { $0.code = code }
    }
  }

  /// Enters the code and consents.
  func walk() async throws {
    guard let code = state.withLock({ $0.code }) else { throw TestFailure("no code was shown") }
    _ = try await ScriptedBrowser().walk(from: code.verificationURI.absoluteString, as: "ada", userCode: code.userCode)
  }
}

/// An application and a device, with one clock for them and the provider.
private func deviceFixture(
  _ faults: Set<Fault> = [],
  kind: ApplicationFixture.ProviderKind = .oidc,
  transport: any HTTPTransport = CurlTransport(environment: [:])
) async throws -> (ApplicationFixture, OtherDevice) {
  let clock = TestClock()
  let device = OtherDevice(clock: clock)
  let provider = try await DemoProvider.start(DemoOptions(faults: faults, algorithm: .es256, clock: clock))
  let fixture = try ApplicationFixture(provider, kind: kind, transport: transport, clock: clock, pause: device.pause)
  return (fixture, device)
}
