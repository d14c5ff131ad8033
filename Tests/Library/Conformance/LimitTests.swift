import DemoProvider
import MSAuth
import Testing

@Suite("how long a caller may ask to wait")
struct LimitTests {
  @Test(
    "a time that is none, or longer than a day, is refused before anything is done",
    arguments: [Duration.nanoseconds(-1), .seconds(-1), .seconds(86_401), .seconds(Int64.max)]
  )
  func refused(timeout: Duration) async throws {
    try await withFixture { fixture in
      let account = try await fixture.signIn().account
      await fixture.provider.forgetRecord()
      let calls: [() async throws -> Void] = [
        { _ = try await fixture.signIn { $0.interaction?.timeout = timeout } },
        {
          var parameters = TokenParameters(scopes: ["User.Read"])
          parameters.interaction?.timeout = timeout
          _ = try await fixture.application.acquireToken(with: parameters) { _ in }
        },
        {
          var parameters = SignOutParameters()
          parameters.timeout = timeout
          _ = try await fixture.application.signOut(account, with: parameters)
        },
      ]
      for call in calls {
        let error = await #expect(throws: AuthenticationError.self) { try await call() }
        #expect(error?.code == .invalidParameter && error?.reason == "timeout_invalid", "\(error as Any)")
      }
      #expect(await fixture.provider.record.isEmpty)
      #expect(try await fixture.application.accounts().map(\.id) == [account.id])
    }
  }

  @Test(
    "a life that no token has is refused, not calculated with",
    arguments: [Duration.seconds(-1), .seconds(Int64.max)]
  )
  func validity(validity: Duration) async throws {
    try await withFixture(adjust: { $0.tokenExpirationBuffer = .seconds(Int64.max) }) { fixture in
      let account = try await fixture.signIn().account
      let error = await #expect(throws: AuthenticationError.self) {
        try await fixture.renew(account, force: false) { $0.minimumValidity = validity }
      }
      #expect(error?.code == .invalidParameter && error?.reason == "minimum_validity_invalid")
      #expect(try await !fixture.renew(account, force: false).isFromCache)
    }
  }

  @Test("a day is accepted")
  func day() async throws {
    try await withFixture { fixture in
      let account = try await fixture.signIn { $0.interaction?.timeout = WaitingTime.maximum }.account
      var parameters = SignOutParameters()
      parameters.timeout = WaitingTime.maximum
      #expect(try await fixture.application.signOut(account, with: parameters).removedTokens)
    }
  }
}
