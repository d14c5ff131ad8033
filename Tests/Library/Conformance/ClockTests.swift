import DemoProvider
import MSAuth
import MSAuthCache
import TestSupport
import Testing

@Suite("a clock that jumps")
struct ClockTests {
  /// An hour back, as after a summer time gone wrong; a day ahead, as after a battery that died; and there and back.
  static let jumps: [[Int64]] = [[-3600], [86_400], [86_400, -86_400], [-3600, 3600]]

  @Test(
    "renews once after each jump, then serves from the store, and never loses a rotating refresh token",
    arguments: jumps
  )
  func tokens(_ jumps: [Int64]) async throws {
    try await withFixture(kind: .entra("common")) { fixture in
      let account = try await fixture.signIn().account
      for seconds in jumps {
        fixture.clock.advance(by: seconds)
        await fixture.provider.forgetRecord()
        let renewed = try await fixture.renew(account, force: false)
        let stored = try await fixture.renew(account, force: false)
        #expect(!renewed.isFromCache && stored.isFromCache && stored.accessToken == renewed.accessToken)
        #expect((1...2 * 3600).contains(renewed.unixExpiry - fixture.clock.now()))
        #expect(await fixture.provider.record.count { $0["grant_type"] == "refresh_token" } == 1)
        #expect(try await fixture.application.accounts().map(\.username) == ["ada@contoso.example"])
      }
      // The refresh token of the last answer is the one that the provider still takes.
      _ = try await fixture.renew(account)
    }
  }

  @Test(
    "at a sign-in an ID token of another time blames this computer's clock, and says how far it is off",
    arguments: [(5400, "ahead of"), (-3600, "behind")] as [(Int64, String)]
  )
  func signIn(_ seconds: Int64, direction: String) async throws {
    try await withFixture { fixture in
      fixture.clock.advance(by: seconds)
      let error = try #require(await #expect(throws: AuthenticationError.self) { try await fixture.signIn() })
      #expect(error.code == .invalidResponse && error.hint == .checkClock, "\(error)")
      // The whole minutes of a difference that may be a second more or less by now.
      let minutes = abs(seconds) / 60
      let words = (minutes - 1...minutes).map { "this computer's clock is \($0) minutes \(direction) the provider's" }
      #expect(words.contains(where: error.message.contains), "\(error.message)")
    }
  }

  @Test("a provider whose own token is old is not this computer's clock")
  func oldToken() async throws {
    try await withFixture([.invalidExpiredExp]) { fixture in
      let error = try #require(await #expect(throws: AuthenticationError.self) { try await fixture.signIn() })
      #expect(error.reason?.rawValue == "id_token_expired" && error.hint != .checkClock, "\(error)")
      #expect(!error.message.contains("clock is"), "\(error.message)")
    }
  }

  @Test("keys that change twice in a minute end a sign-in with the advice to try again; a minute later it succeeds")
  func keysChangedTwice() async throws {
    try await withFixture([.signingKeyRotation]) { fixture in
      // The keys change with each sign-in; the second one fetches them again.
      for _ in 1...2 { _ = try await fixture.signIn() }
      let error = try #require(await #expect(throws: AuthenticationError.self) { try await fixture.signIn() })
      #expect(error.hint?.description.contains("try again in a minute") == true, "\(error)")
      fixture.clock.advance(by: 61)
      _ = try await fixture.signIn()
    }
  }

  @Test("a small correction is no reason to renew", arguments: [-30, 30] as [Int64])
  func correction(_ seconds: Int64) async throws {
    try await withFixture { fixture in
      let account = try await fixture.signIn().account
      fixture.clock.advance(by: seconds)
      #expect(try await fixture.renew(account, force: false).isFromCache)
    }
  }

  @Test("back: a token of a time to come does not count as one with much life left")
  func minimumValidity() async throws {
    try await withFixture { fixture in
      let account = try await fixture.signIn().account
      fixture.clock.advance(by: -1800)
      let renewed = try await fixture.renew(account, force: false) { $0.minimumValidity = .seconds(3000) }
      #expect(!renewed.isFromCache)
    }
  }

  @Test("back: a request that failed is not held back for longer than its window", arguments: [-300, -3000] as [Int64])
  func throttled(_ seconds: Int64) async throws {
    try await withFixture { fixture in
      let account = try await fixture.signIn().account
      await fixture.provider.set(faults: [.token503])
      func failure() async throws -> AuthenticationError {
        try #require(await #expect(throws: AuthenticationError.self) { try await fixture.renew(account) })
      }
      #expect(try await !failure().isThrottled)
      #expect(try await failure().isThrottled)
      fixture.clock.advance(by: seconds)
      #expect(try await !failure().isThrottled)
      #expect(try await failure().isThrottled, "and from now on it is again")
    }
  }

  @Test(
    "metadata and keys that seem to come from the future, or are a day old, are fetched again, once",
    arguments: [-3600, 86_401] as [Int64]
  )
  func documents(_ seconds: Int64) async throws {
    try await withFixture { fixture in
      let account = try await fixture.signIn().account
      func fetched() async -> [Int] {
        let metadata = await fixture.requests(for: "/oidc/.well-known/openid-configuration").count
        return [metadata, await fixture.requests(for: "/oidc/keys").count]
      }
      let before = await fetched()
      _ = try await fixture.renew(account)
      #expect(await fetched() == before)
      fixture.clock.advance(by: seconds)
      for _ in 0..<2 {
        _ = try await fixture.renew(account)
        #expect(await fetched() == before.map { $0 + 1 })
      }
    }
  }

  @Test("the sign-in itself, where a foreign token could come, needs a clock that is right within minutes")
  func signIn() async throws {
    for (seconds, reason) in [(-3600, "id_token_issued_in_future"), (86_400, "id_token_expired")] as [(Int64, String)] {
      try await withFixture { fixture in
        fixture.clock.advance(by: seconds)
        let error = try #require(await #expect(throws: AuthenticationError.self) { _ = try await fixture.signIn() })
        #expect(error.reason?.rawValue == reason && error.message.contains("clock"), "\(error)")
        #expect(await fixture.storeIsEmpty)
      }
    }
  }
}
