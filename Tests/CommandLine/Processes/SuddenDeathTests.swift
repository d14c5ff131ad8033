import DemoProvider
import TestSupport
import Testing

@Suite("kill -9 at any time", .serialized, .limitedConcurrencyFirst)
struct SuddenDeathTests {
  /// How many processes to kill; a thousand (`MSAUTH_TEST_KILLS=1000`, as in `.ci/run`) take a minute.
  static let moments = ProcessInfo.processInfo.environment["MSAUTH_TEST_KILLS"].flatMap { Int($0) } ?? 100
  /// How many homes are used in parallel.
  static let workers = 2

  /// The command to kill.
  enum Step: CaseIterable {
    case refresh, logout, login
  }

  /// The store's state, as far as a user can notice: the numbers of its entries.
  private static func counts(_ cache: JSONValue, client: String) -> [Int] {
    let entries = ["Account", "AccessToken", "RefreshToken", "IdToken"].map { cache[$0]?.object?.count ?? 0 }
    return entries + [cache["msauth"]?["clients"]?[client]?["signed_out"]?.object?.count ?? 0]
  }

  private static let signedIn = [1, 1, 1, 1, 0]
  private static let signedOut = [0, 0, 0, 0, 1]

  @Test("the store stays readable, and holds the state before or after the command")
  func randomMoments() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<Self.workers {
        group.addTask {
          try await Self.work(Self.moments / Self.workers, SeededRandom(seed: SeededRandom.seed &+ UInt64(worker)))
        }
      }
      try await group.waitForAll()
    }
  }

  private static func work(_ moments: Int, _ random: SeededRandom) async throws {
    var random = random
    // The killed process's tokens are lost with it, and so would a single-use refresh token be.
    let fixture = try await DemoProviderFixture(DemoOptions(rotates: false))
    try await fixture.signIn()
    var longest: [Step: Duration] = [:]
    for step in [Step.refresh, .logout, .login] {
      longest[step] = try await duration(of: step, fixture, atMost: .seconds(stepTimeout))
    }

    var before = try fixture.cache()
    for moment in 0..<moments {
      let isSignedIn = counts(before, client: fixture.provider.clientID) == signedIn
      let step: Step = !isSignedIn ? .login : moment % 3 == 0 ? .logout : .refresh
      let limit = longest[step] ?? .milliseconds(100)
      let delay = limit * Double.random(in: 0...1.1, using: &random)
      let hadJournal = fixture.home.files(below: "state/msauth").contains { $0.hasSuffix(".journal") }
      let duration = try await Self.duration(of: step, fixture, atMost: delay)
      // It depends on the machine's load; the kills should fall within it, early and late.
      if let duration { longest[step] = duration } else if delay > limit { longest[step] = limit * 1.2 }
      let after = try fixture.cache()
      let counts = Self.counts(after, client: fixture.provider.clientID)
      switch step {
      case .refresh:
        #expect(counts == signedIn, SeededRandom.comment)
        // Both tokens of a response, or neither.
        #expect((secrets(after, "AccessToken") == secrets(before, "AccessToken")) == (after == before))
        #expect((secrets(after, "RefreshToken") == secrets(before, "RefreshToken")) == (after == before))
      case .logout:
        // It also stores what a killed refresh left.
        let isStored = hadJournal && counts == signedIn
        #expect(after == before || isStored || counts == signedOut, SeededRandom.comment)
      case .login: #expect(after == before || counts == signedIn, SeededRandom.comment)
      }
      before = after
    }
    // The next sign-in works, and removes leftover files.
    try await fixture.signIn()
    #expect(try await fixture.run("token", "--force-refresh").code == 0)
    #expect(fixture.home.files(below: "state/msauth") == ["token_cache.json"])
  }

  private static func secrets(_ cache: JSONValue, _ map: String) -> Set<String> {
    Set(cache[map]?.object?.values.compactMap { $0["secret"]?.string } ?? [])
  }

  private static func arguments(_ step: Step) -> [String] {
    switch step {
    case .refresh: ["token", "--force-refresh"]
    case .logout: ["logout"]
    case .login: ["login", "--no-browser"]
    }
  }

  /// Starts a step, and kills it unless it ends first; its duration, for a sign-in from the printed URL on.
  private static func duration(of step: Step, _ fixture: DemoProviderFixture, atMost delay: Duration) async throws
    -> Duration?
  {
    let clock = ContinuousClock()
    var begin = clock.now
    let child = try fixture.start(arguments(step))
    var walk: Task<Void, Never>?
    if step == .login {
      let address = try await child.printedURL()
      begin = clock.now
      walk = Task { _ = try? await ScriptedBrowser().walk(from: address, as: "ada") }
    }
    while child.ending == nil, clock.now < begin + delay {
      try await Task.sleep(for: min(.milliseconds(2), begin + delay - clock.now))
    }
    let duration = clock.now - begin
    child.signal(SIGKILL)
    let ending = try await child.end()
    await walk?.value
    if ending == .killed(SIGKILL) { return nil }
    guard ending == .exited(0) else { throw TestFailure("\(step): \(child.stderr)") }
    return duration
  }
}
