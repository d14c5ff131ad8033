@testable import DemoProvider
import MSAuth
import MSAuthCache
import TestSupport
import Testing

@Suite("token endpoint responses", .limitedConcurrency)
struct TokenEndpointTests {
  @Test(
    "an unusable response stores nothing, and its code, which may be used up, is never sent again",
    arguments: [
      (.tokenTypeMAC, .invalidResponse, "invalid_response"), (.tokenRedirect, .invalidResponse, "unexpected_page"),
      (.tokenHuge, .invalidResponse, "response_too_large"), (.token503, .providerUnreachable, "server_unavailable"),
      (.invalidClient, .serverError, "invalid_client"), (.invalidGrant, .interactionRequired, "invalid_grant"),
      (.pushRefused, .serverError, "invalid_request"),
    ] as [(Fault, AuthenticationError.Code, AuthenticationError.Reason)]
  )
  func rejected(
    _ fault: Fault,
    _ code: AuthenticationError.Code,
    _ reason: AuthenticationError.Reason
  ) async throws {
    let fixture = try await ApplicationFixture([fault])
    let error = try await failure { try await fixture.signIn() }
    #expect(error.code == code && error.reason == reason, "\(error)")
    #expect(await fixture.storeIsEmpty)
    #expect(await fixture.uses() == 0)
    let codes = await fixture.requests(for: "/oidc/token").count { $0["code"] != nil }
    #expect(codes == (fault == .pushRefused ? 0 : 1))
  }
}

@Suite("timeouts")
struct TimeoutTests {
  @Test(
    "an invalid timeout, or one longer than a day, is rejected before a request",
    arguments: [Duration.nanoseconds(-1), .seconds(86_401), .seconds(Int64.max)]
  )
  func rejected(timeout: Duration) async throws {
    let (fixture, account) = try await ApplicationFixture().signedIn()
    await fixture.provider.forgetRecord()
    let calls: [() async throws -> Void] = [
      { _ = try await fixture.signIn { $0.interaction?.timeout = timeout } },
      {
        var parameters = TokenParameters(scopes: ["User.Read"])
        parameters.interaction?.timeout = timeout
        _ = try await fixture.application.signIn(with: parameters) { _ in }
      },
      { _ = try await fixture.signOut(account) { $0.timeout = timeout } },
    ]
    for call in calls {
      let error = try await failure { try await call() }
      #expect(error.code == .invalidParameter && error.reason == "timeout_invalid", "\(error)")
    }
    #expect(await fixture.provider.record.isEmpty)
    #expect(try await fixture.application.accounts().map(\.id) == [account.id])
  }

  @Test("an impossible minimum lifetime is rejected", arguments: [Duration.seconds(-1), .seconds(Int64.max)])
  func validity(validity: Duration) async throws {
    let (fixture, account) = try await ApplicationFixture { $0.tokenExpirationBuffer = .seconds(Int64.max) }.signedIn()
    let error = try await failure { try await fixture.renew(account, force: false) { $0.minimumValidity = validity } }
    #expect(error.code == .invalidParameter && error.reason == "minimum_validity_invalid")
    #expect(try await !fixture.renew(account, force: false).isFromCache)
  }

  @Test("a day is accepted")
  func day() async throws {
    let fixture = try await ApplicationFixture()
    let account = try await fixture.signIn { $0.interaction?.timeout = Interaction.maximumTimeout }.account
    #expect(try await fixture.signOut(account) { $0.timeout = Interaction.maximumTimeout }.removedTokens)
  }
}
