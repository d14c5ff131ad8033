import DemoProvider
import MSAuth
import Testing

@Suite("how long a caller may ask to wait")
struct LimitTests {
  @Test(
    "a time that is none, or longer than a day, is refused before anything is done",
    arguments: [Double.nan, -Double.infinity, -1, 86_401, 1e30]
  )
  func refused(seconds: Double) async throws {
    try await withFixture { fixture in
      let account = try await fixture.signIn().account
      await fixture.provider.forgetRecord()
      let calls: [() async throws -> Void] = [
        { _ = try await fixture.signIn { $0.timeout = seconds } },
        {
          var parameters = DeviceCodeParameters(scopes: ["User.Read"]) { _ in }
          parameters.timeout = seconds
          _ = try await fixture.application.acquireToken(with: parameters)
        },
        {
          var parameters = SignOutParameters()
          parameters.timeout = seconds
          _ = try await fixture.application.signOut(account, with: parameters)
        },
      ]
      for call in calls {
        let error = await #expect(throws: AuthenticationError.self) { try await call() }
        #expect(error?.code == .invalidParameter && error?.reason == .timeoutInvalid, "\(error as Any)")
      }
      #expect(await fixture.provider.record.isEmpty)
      #expect(try await fixture.application.accounts() == [account])
    }
  }

  @Test("a life that no token has is refused, not calculated with", arguments: [-1, Int64.max])
  func validity(seconds: Int64) async throws {
    try await withFixture(adjust: { $0.tokenExpirationBuffer = .max }) { fixture in
      let account = try await fixture.signIn().account
      let error = await #expect(throws: AuthenticationError.self) {
        try await fixture.renew(account, force: false) { $0.minimumValidity = seconds }
      }
      #expect(error?.code == .invalidParameter && error?.reason == .minimumValidityInvalid)
      #expect(try await !fixture.renew(account, force: false).isFromCache)
    }
  }

  @Test("no limit is a day")
  func infinite() async throws {
    try await withFixture { fixture in
      let account = try await fixture.signIn { $0.timeout = .infinity }.account
      var parameters = SignOutParameters()
      parameters.timeout = .infinity
      #expect(try await fixture.application.signOut(account, with: parameters).removedTokens)
    }
  }
}
