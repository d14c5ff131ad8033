import DemoProvider
import LibCrypto
import MSAuth
import Core
import Synchronization
import TestSupport
import Testing

@Suite("a sign-in with a browser on another device (RFC 8628)")
struct DeviceCodeTests {
  @Test("a device that is told to slow down does so for good, and still signs in")
  func slowDown() async throws {
    try await withDevice([.deviceSlowDown]) { bench, person in
      // The person answers after the third poll: the first is slowed, the others have to keep the longer pause.
      person.onPause { if $0 == 4 { try await person.walk() } }
      let token = try await person.signIn(to: bench)
      #expect(try await bench.use(token) == [200, 200])
      #expect(person.pauses == [1, 6, 6, 6])
      #expect(await bench.requests(for: "/oidc/token").map(\.status) == [400, 400, 400, 200])
    }
  }

  @Test(
    "a provider that is busy is asked again, more slowly and not before it says",
    arguments: [(.token429RetryAfter, [1, 7, 6]), (.token503RetryAfter, [1, 6, 6]), (.token503, [1, 6, 6])]
      as [(Fault, [Int64])]
  )
  func busy(_ fault: Fault, _ pauses: [Int64]) async throws {
    try await withDevice([fault]) { bench, person in
      person.onPause { number in
        if number == 2 { await bench.provider.set(faults: []) }
        if number == 3 { try await person.walk() }
      }
      let token = try await person.signIn(to: bench)
      #expect(try await bench.use(token) == [200, 200])
      #expect(person.pauses == pauses)
    }
  }

  @Test("a provider that stays busy is told as that, not as somebody who did not answer")
  func busyToTheEnd() async throws {
    try await withDevice([.token503]) { bench, person in
      let error = await #expect(throws: AuthenticationError.self) {
        try await person.signIn(to: bench) { $0.timeout = 1 }
      }
      #expect(error?.code == .providerUnreachable && error?.reason == "server_unavailable", "\(error as Any)")
    }
  }

  @Test("Microsoft is told the correlation id with the first request, and shows it in its error")
  func correlation() async throws {
    let id = "6b7b7a44-0000-4000-8000-00000000c0de"
    try await withDevice(face: .entra("common")) { bench, person in
      let error = await #expect(throws: AuthenticationError.self) {
        try await person.signIn(to: bench) {
          $0.scopes = ["Unheard.Of"]
          $0.correlationID = id
        }
      }
      #expect(error?.provider?.error == "invalid_scope" && error?.provider?.correlationID == id, "\(error as Any)")
    }
  }

  @Test("msauth login --device-code prints the code, waits for the person, and signs in")
  func command() async throws {
    try await withBench { bench in
      let runner = CommandRunner(home: try Home())
      let identity = [
        "--client-id", bench.provider.clientID, "--authority", bench.provider.oidcIssuer, "--store", "file",
        "--scope", "User.Read",
      ]
      let child = try runner.start(["login", "--device-code"] + identity)
      let (page, code) = try await child.stderrLine("code to enter") { line in
        // "msauth: open PAGE in any browser and enter the code CODE"
        let words = line.split(separator: " ").map(String.init)
        return line.contains(" and enter the code ") ? (words[2], words[words.count - 1]) : nil
      }
      #expect(page == bench.provider.publicURL + "/devicelogin")
      #expect(try await ScriptedBrowser().walk(from: page, as: "ada", userCode: code).has("done"))
      let login = try await runner.outcome(of: child)
      #expect(login.code == 0 && login.stdout == "ada@contoso.example\n", "\(login)")
      let token = try await runner.outcome(of: runner.start(["token"] + identity))
      #expect(token.code == 0 && !token.stdout.isEmpty && token.stderr.isEmpty, "\(token)")
    }
  }

  @Test("the configured timeout ends it with exit 4")
  func timeout() async throws {
    try await withBench { bench in
      let runner = CommandRunner(home: try Home())
      try runner.home.write(
        """
        {"client_id": "\(bench.provider.clientID)", "store": "file", "timeout": 0.5, "scopes": ["openid"],
         "authorities": [{"type": "OIDC", "authority_url": "\(bench.provider.oidcIssuer)"}]}
        """,
        to: "config/msauth/config.json"
      )
      let outcome = try await runner.run("login", "--device-code", by: .after(30))
      #expect(outcome.code == 4 && outcome.stderr.contains("nobody entered the code"), "\(outcome)")
    }
  }
}

/// A person with another device, who acts while the application pauses; the pauses take no time but the clock's.
private final class Elsewhere: Pausing {
  private struct State {
    var pauses: [Int64] = []
    var action: @Sendable (Int) async throws -> Void = { _ in }
    var code: DeviceCode?
  }

  private let clock: MovableClock
  private let state = Mutex(State())

  init(clock: MovableClock) { self.clock = clock }

  /// How long the application waited each time, in seconds.
  var pauses: [Int64] { state.withLock { $0.pauses } }

  /// What happens during a pause; it is told the pause's number, from 1.
  func onPause(_ action: @escaping @Sendable (Int) async throws -> Void) { state.withLock { $0.action = action } }

  func pause(seconds: Int64) async throws {
    let (number, action) = state.withLock { state in
      state.pauses.append(seconds)
      return (state.pauses.count, state.action)
    }
    clock.advance(by: seconds)
    try await action(number)
  }

  /// Shows the person the code of a sign-in, and waits for its end.
  func signIn(
    to bench: Bench,
    _ adjust: (inout DeviceCodeParameters) -> Void = { _ in }
  ) async throws -> TokenResult {
    var parameters = DeviceCodeParameters(scopes: ["User.Read"]) { [self] code in state.withLock { $0.code = code } }
    adjust(&parameters)
    return try await bench.application.acquireToken(with: parameters)
  }

  /// The person enters the code and agrees.
  func walk() async throws {
    guard let code = state.withLock({ $0.code }) else { throw TestFailure("no code was shown") }
    _ = try await ScriptedBrowser().walk(from: code.verificationURI, as: "ada", userCode: code.userCode)
  }
}

/// Runs a test with a provider whose clock is the application's.
private func withDevice(
  _ faults: Set<Fault> = [],
  face: Bench.Face = .oidc,
  _ body: (Bench, Elsewhere) async throws -> Void
) async throws {
  try await ConcurrencyLimiter.benches.admit {
    let clock = MovableClock()
    let person = Elsewhere(clock: clock)
    let provider = try await DemoProvider.start(DemoOptions(faults: faults, algorithm: .es256, clock: clock))
    do {
      try await body(Bench(provider, face: face, clock: clock, pause: person), person)
    } catch {
      await provider.stop()
      throw error
    }
    await provider.stop()
  }
}
