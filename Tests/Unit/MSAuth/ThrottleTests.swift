import MSAuthCache
import TestSupport
import Testing

@testable import MSAuth

@Suite("throttled requests")
struct ThrottleTests {
  /// A request's contents, without its client and endpoint.
  struct Request: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var scopes = ["User.Read", "Mail.Read"]
    var claims: String?
    var resource: String?
    var query = ["dc": "ESTS-1", "slice": "testslice"]
    var capabilities = ["CP1", "protapp"]
    var refreshToken = "RT"
    var clientSecret: String? = "secret"

    func throttle(at time: UnixTime, _ store: any TokenCacheStore = MemoryStore()) throws -> Throttle {
      let ada = Account(identifier: "1.2", username: "ada@contoso.example", environment: "id.example")
      var parameters = TokenParameters(scopes: scopes, account: ada)
      parameters.claims = claims
      parameters.resource = resource
      parameters.extraQueryParameters = query
      var dependencies = Dependencies.offline(store)
      dependencies.clock = TestClock(at: time)
      let provider = try Provider.offline(dependencies) {
        $0.clientSecret = clientSecret
        $0.clientCapabilities = capabilities
      }
      let request = try ResolvedRequest(parameters, for: provider.context.configuration)
      return Throttle(request, of: ada, by: Secret(refreshToken), at: provider)
    }

    func recentFailure(in document: TokenCacheDocument, after seconds: Int64) throws -> AuthenticationError? {
      try throttle(at: TokenGrant.noon + seconds).recentFailure(in: document)
    }
  }

  private static let first = Request(testDescription: "the same")

  private func rejected() async throws -> TokenCacheDocument {
    let store = MemoryStore()
    var error = AuthenticationError(.interactionRequired, "rejected")
    error.provider = ProviderError(error: "consent_required")
    let lock = try await store.lock(within: .zero)
    await (try Self.first.throttle(at: TokenGrant.noon, store)).note(error, holding: lock)
    await lock.release()
    return try await store.load()
  }

  @Test(
    "aren't sent again, whatever the order of scopes and parameters",
    arguments: [
      first, Request(testDescription: "other letters and order", scopes: ["mail.read", "user.read"]),
      Request(testDescription: "another order of the query", query: ["slice": "testslice", "dc": "ESTS-1"]),
    ]
  )
  func same(_ request: Request) async throws {
    let document = try await rejected()
    #expect(try request.recentFailure(in: document, after: 119)?.provider?.error == "consent_required")
    #expect(try request.recentFailure(in: document, after: 120) == nil)
    #expect(try request.recentFailure(in: document, after: -300) == nil, "the clock was set back")
  }

  @Test(
    "don't match other requests",
    arguments: [
      Request(testDescription: "other scopes", scopes: ["User.Read"]),
      Request(testDescription: "claims", claims: #"{"id_token":{}}"#),
      Request(testDescription: "a resource", resource: "https://api.example"),
      Request(testDescription: "another value in the query", query: ["dc": "ESTS-1", "slice": "other"]),
      Request(testDescription: "no query", query: [:]),
      Request(testDescription: "other capabilities", capabilities: ["CP1"]),
      Request(testDescription: "one capability that looks like two", capabilities: ["CP1 protapp"]),
      Request(testDescription: "another refresh token", refreshToken: "RT2"),
      Request(testDescription: "a corrected client secret", clientSecret: "the right one"),
      Request(testDescription: "no client secret", clientSecret: nil),
    ]
  )
  func other(_ request: Request) async throws {
    let document = try await rejected()
    #expect(try request.recentFailure(in: document, after: 1) == nil)
  }
}
