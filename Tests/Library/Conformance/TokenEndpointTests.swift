import DemoProvider
import MSAuth
import MSAuthCache
import TestSupport
import Testing

@Suite("token endpoint responses", .limitedConcurrency)
struct TokenEndpointTests {
  enum Expectation: Sendable, Equatable {
    /// A token with this lifetime in seconds.
    case lives(Int64)
    case fails(AuthenticationError.Code, reason: String)
  }

  static let cases: [(Fault?, Expectation)] = [
    (nil, .lives(3600)),
    (.tokenTypeMAC, .fails(.invalidResponse, reason: "invalid_response")),
    (.tokenCreatedText, .lives(3600)),
    // Lifetimes are limited to a year.
    (.tokenExpiresInHuge, .lives(366 * 86_400)),
    (.tokenRedirect, .fails(.invalidResponse, reason: "unexpected_page")),
    (.tokenHTML, .fails(.invalidResponse, reason: "unexpected_page")),
    (.tokenHuge, .fails(.invalidResponse, reason: "response_too_large")),
    (.token503, .fails(.providerUnreachable, reason: "server_unavailable")),
    (.invalidClient, .fails(.serverError, reason: "invalid_client")),
    (.invalidGrant, .fails(.interactionRequired, reason: "invalid_grant")),
    (.pushRefused, .fails(.serverError, reason: "invalid_request")),
  ]

  @Test("a valid response is accepted; an invalid one stores nothing", arguments: cases)
  func answer(_ fault: Fault?, _ outcome: Expectation) async throws {
    let fixture = try await ApplicationFixture(fault.map { [$0] } ?? [])
    do {
      let before = fixture.clock.now()
      let token = try await fixture.signIn()
      guard case .lives(let seconds) = outcome else { return try #require(Bool(false), "it was taken") }
      #expect((before + seconds...fixture.clock.now() + seconds).contains(token.unixExpiry))
      #expect(token.tokenType == "Bearer")
      #expect(try await fixture.use(token) == [200, 200])
    } catch let error as AuthenticationError {
      #expect(outcome == .fails(error.code, reason: error.reason?.rawValue ?? ""), "\(error)")
      #expect(await fixture.storeIsEmpty)
      #expect(await fixture.uses() == 0)
    }
    // A code that may be used up is never sent again.
    #expect(await fixture.requests(for: "/oidc/token").count { $0["code"] != nil } <= 1)
  }

  @Test("a pushed request leaves only its name in the URL (RFC 9126)")
  func pushed() async throws {
    let fixture = try await ApplicationFixture([.pushRequired])
    _ = try await fixture.signIn { $0.claims = #"{"id_token":{"auth_time":null}}"# }
    let address = try #require(await fixture.requests(for: "/oidc/authorize").first)
    #expect(Set(address.parameters.map(\.name)) == ["client_id", "request_uri"])
    let pushed = try #require(await fixture.requests(for: "/oidc/par").first)
    #expect(pushed["code_challenge_method"] == "S256" && pushed["state"] != nil && pushed["claims"] != nil)
  }
}

@Suite("timeouts")
struct LimitTests {
  @Test(
    "an invalid timeout, or one longer than a day, is rejected before a request",
    arguments: [Duration.nanoseconds(-1), .seconds(86_401), .seconds(Int64.max)]
  )
  func refused(timeout: Duration) async throws {
    let (fixture, account) = try await ApplicationFixture().signedIn()
    await fixture.provider.forgetRecord()
    let calls: [() async throws -> Void] = [
      { _ = try await fixture.signIn { $0.interaction?.timeout = timeout } },
      {
        var parameters = TokenParameters(scopes: ["User.Read"])
        parameters.interaction?.timeout = timeout
        _ = try await fixture.application.signIn(with: parameters) { _ in }
      },
      {
        var parameters = SignOutParameters()
        parameters.timeout = timeout
        _ = try await fixture.application.signOut(account, with: parameters)
      },
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
    var parameters = SignOutParameters()
    parameters.timeout = Interaction.maximumTimeout
    #expect(try await fixture.application.signOut(account, with: parameters).removedTokens)
  }
}
