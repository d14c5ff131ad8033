@testable import DemoProvider
import MSAuth
import MSAuthCache
import TestSupport
import Testing

@Suite("clock changes", .limitedConcurrency)
struct ClockTests {
  /// An hour back, a day ahead, and both ways.
  static let jumps: [[Int64]] = [[-3600], [86_400], [86_400, -86_400], [-3600, 3600]]

  @Test("one refresh after each change, then cached tokens, and no rotating refresh token is lost", arguments: jumps)
  func tokens(_ jumps: [Int64]) async throws {
    let (fixture, account) = try await ApplicationFixture(kind: .entra("common")).signedIn()
    for seconds in jumps {
      fixture.clock.advance(by: seconds)
      await fixture.provider.forgetRecord()
      let renewed = try await fixture.renew(account, force: false)
      let stored = try await fixture.renew(account, force: false)
      #expect(!renewed.isFromCache && stored.isFromCache && stored.accessToken == renewed.accessToken)
      #expect((1...2 * 3600).contains(renewed.expiresOn.unixTime - fixture.clock.now()))
      #expect(await fixture.provider.record.count { $0["grant_type"] == "refresh_token" } == 1)
      #expect(try await fixture.application.accounts().map(\.username) == ["ada@contoso.example"])
    }
    // The provider accepts the last response's refresh token.
    _ = try await fixture.renew(account)
  }

  @Test(
    "a sign-in requires a clock that is right within minutes; its offset is reported",
    arguments: [(5400, "ahead of", "id_token_expired"), (-3600, "behind", "id_token_issued_in_future")]
      as [(Int64, String, AuthenticationError.Reason)]
  )
  func signIn(_ seconds: Int64, direction: String, reason: AuthenticationError.Reason) async throws {
    let fixture = try await ApplicationFixture()
    fixture.clock.advance(by: seconds)
    let error = try await failure { try await fixture.signIn() }
    #expect(error.code == .invalidResponse && error.reason == reason && error.hint == .checkClock, "\(error)")
    #expect(await fixture.storeIsEmpty)
    // Whole minutes of a difference that may have changed by a second.
    let minutes = abs(seconds) / 60
    let words = (minutes - 1...minutes).map { "this computer's clock is \($0) minutes \(direction) the provider's" }
    #expect(words.contains(where: error.message.contains), "\(error.message)")
  }

  @Test("an outdated token from the provider isn't blamed on this computer's clock, and the browser shows a failure")
  func oldToken() async throws {
    let fixture = try await ApplicationFixture([.invalidExpiredExp])
    let error = try await failure { try await fixture.signIn() }
    #expect(error.reason?.rawValue == "id_token_expired" && error.hint != .checkClock, "\(error)")
    #expect(!error.message.contains("clock is"), "\(error.message)")
    #expect(try await fixture.browser.lastTitle().hasPrefix("Sign-in failed – "))
  }

  @Test("keys that change twice in a minute end a sign-in with the advice to try again; a minute later it succeeds")
  func keysChangedTwice() async throws {
    let fixture = try await ApplicationFixture([.signingKeyRotation])
    // The keys change with each sign-in; the second one fetches them again.
    for _ in 1...2 { _ = try await fixture.signIn() }
    let error = try await failure { try await fixture.signIn() }
    #expect(error.hint?.description.contains("try again in a minute") == true, "\(error)")
    fixture.clock.advance(by: 61)
    _ = try await fixture.signIn()
  }

  @Test(
    "metadata and keys from the future, or a day old, are fetched again, once",
    arguments: [-3600, 86_401] as [Int64]
  )
  func documents(_ seconds: Int64) async throws {
    let (fixture, account) = try await ApplicationFixture().signedIn()
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
