@testable import DemoProvider
import MSAuthCrypto
import MSAuthTransport
import Synchronization
import TestSupport
import Testing

@testable import MSAuth

/// Sends refreshes to a scripted server while it is active, and all other requests to the provider.
private final class ScriptedRefreshes: HTTPTransport {
  private let server: ScriptedServer
  private let base = CurlTransport(environment: [:])
  let isActive = Atomic(false)

  init(_ response: RefreshResponse) throws {
    server = try ScriptedServer { peer in
      peer.respond("\(response.status) x", ["Content-Type: \(response.type)"] + response.fields, response.body)
    }
  }

  func send(_ request: HTTPRequest) async throws(AuthenticationError) -> HTTPResponse {
    var request = request
    let isRefresh = request.body?.revealed.contains("grant_type=refresh_token") == true
    if isRefresh, isActive.load(ordering: .relaxed) { request.url = server.url + "/token" }
    return try await base.send(request)
  }
}

/// A response to a refresh, and what it means for the session.
struct RefreshResponse: Sendable, CustomTestStringConvertible {
  enum Meaning: Equatable {
    case renewed
    /// Only the new refresh token can be used: it is stored, and the error is reported.
    case rotated(AuthenticationError.Code, _ reason: AuthenticationError.Reason)
    /// The refresh token is rejected: only the user can go on, in the browser.
    case signIn(_ reason: AuthenticationError.Reason = .refreshTokenRefused)
    /// Something else is missing, which the user can give in the browser.
    case consent(_ reason: AuthenticationError.Reason)
    /// The session is kept, and no browser is opened.
    case kept(AuthenticationError.Code, _ reason: AuthenticationError.Reason)
  }

  let status: Int
  let body: String
  let type: String
  let fields: [String]
  let provider: ApplicationFixture.ProviderKind
  let meaning: Meaning

  init(
    _ status: Int,
    _ body: String,
    type: String = "application/json",
    fields: [String] = [],
    from provider: ApplicationFixture.ProviderKind = .oidc,
    _ meaning: Meaning
  ) {
    (self.status, self.body, self.type, self.fields) = (status, body, type, fields)
    (self.provider, self.meaning) = (provider, meaning)
  }

  var testDescription: String { "\(status) \(body.prefix(80)) \(fields.first?.prefix(30) ?? "")" }
}

@Suite("the meaning of a response to a refresh", .limitedConcurrency)
struct RefreshResponseTests {
  private static let page = "<!doctype html><title>Log in</title>"
  private static let busy: AuthenticationError.Reason = "server_unavailable"
  private static let odd: AuthenticationError.Reason = "invalid_response"

  private static func error(_ word: String, _ more: String = "") -> String { #"{"error":"\#(word)"\#(more)}"# }

  private static func tokens(_ more: String = "") -> String {
    #"{"access_token":"new","token_type":"Bearer","expires_in":3600,"refresh_token":"rotated"\#(more)}"#
  }

  private static let otherAccount = #","client_info":"\#(Base64URL.encode(#"{"uid":"u","utid":"t"}"#.utf8))""#

  private static let rows: [RefreshResponse] = [
    .init(200, tokens(), .renewed),
    .init(201, tokens(), type: "text/html", .renewed),
    .init(200, tokens(#","error":"""#), .renewed),
    .init(200, tokens(#","access_token":null"#), .kept(.invalidResponse, odd)),
    .init(200, #"{"access_token":"a b","refresh_token":"rotated"}"#, .rotated(.invalidResponse, odd)),
    .init(200, #"{"refresh_token":"rotated"}"#, .rotated(.invalidResponse, odd)),
    .init(200, tokens().replacing("Bearer", with: "bearer "), .rotated(.invalidResponse, odd)),
    // OAuth's words, with any status that concerns the request.
    .init(400, error("invalid_grant"), .signIn("invalid_grant")),
    .init(400, error("invalid_grant", #","suberror":"token_expired""#), type: "text/html", .signIn("invalid_grant")),
    .init(200, error("invalid_grant"), .signIn("invalid_grant")),
    .init(403, error("invalid_grant", #","suberror":"client_mismatch""#), .signIn("invalid_grant")),
    .init(401, error("invalid_token"), .signIn("invalid_token")),
    .init(400, error("invalid_grant", #","suberror":"consent_required""#), .consent("invalid_grant")),
    // Other words.
    .init(400, "", .signIn()),
    .init(400, "Bad Request", type: "text/plain", .signIn()),
    .init(400, #"{"code":400,"error_code":"refresh_token_not_found"}"#, .signIn()),
    .init(400, error(""), .signIn()),
    .init(400, page, type: "text/html", .signIn()),
    .init(401, page, type: "text/html", .signIn()),
    .init(403, "revoked", type: "text/plain", .signIn()),
    .init(404, "{}", .signIn()),
    // A sign-in doesn't help.
    .init(401, error("invalid_client"), .kept(.serverError, "invalid_client")),
    .init(400, error("invalid_grant", #","error_codes":[53003]"#), .kept(.serverError, "invalid_grant")),
    // The provider is busy.
    .init(400, error("temporarily_unavailable"), .kept(.providerUnreachable, "temporarily_unavailable")),
    .init(408, error("invalid_grant"), .kept(.providerUnreachable, busy)),
    .init(429, error("invalid_grant"), .kept(.providerUnreachable, busy)),
    .init(502, page, type: "text/html", .kept(.providerUnreachable, busy)),
    // Proxies and login pages of the network.
    .init(511, page, type: "text/html", .kept(.invalidResponse, "unexpected_page")),
    .init(302, "", fields: ["Location: https://portal.example/"], .kept(.invalidResponse, "unexpected_page")),
    .init(307, error("invalid_grant"), .kept(.invalidResponse, "unexpected_page")),
    .init(200, page, type: "text/html", .kept(.invalidResponse, "unexpected_page")),
    .init(403, " \n" + page, type: "text/html", .kept(.invalidResponse, odd)),
    .init(407, "", .kept(.invalidResponse, odd)),
    // No tokens, or another user's.
    .init(200, "", .kept(.invalidResponse, odd)),
    .init(200, "{}", .kept(.invalidResponse, odd)),
    .init(200, #"{"access_token":"new","token_type":"mac"}"#, .kept(.invalidResponse, odd)),
    .init(200, tokens(otherAccount), from: .entra("common"), .kept(.invalidResponse, .accountMismatch)),
    .init(200, tokens(), fields: ["Content-Encoding: gzip"], .kept(.providerUnreachable, .unreachable)),
    .init(
      200,
      tokens(),
      fields: ["X: " + String(repeating: "x", count: 70_000)],
      .kept(.invalidResponse, .responseTooLarge)
    ),
  ]

  @Test("a client error means: sign in again; what comes from elsewhere keeps the session", arguments: rows)
  func meaning(_ response: RefreshResponse) async throws {
    let transport = try ScriptedRefreshes(response)
    let provider = try await DemoProvider.start(DemoOptions(algorithm: .es256))
    let fixture = try ApplicationFixture(provider, kind: response.provider, transport: transport)
    let account = try await fixture.signIn().account
    transport.isActive.store(true, ordering: .relaxed)
    let code: AuthenticationError.Code
    let (reason, needsSignIn): (AuthenticationError.Reason, AuthenticationError.Reason?)
    switch response.meaning {
    case .renewed:
      #expect(try await fixture.renew(account).accessToken == "new")
      return
    case .rotated(let code, let reason):
      let error = try await failure { try await fixture.renew(account) }
      #expect(error.code == code && error.reason == reason, "\(error)")
      #expect(String(decoding: try await fixture.store.load().serialized(), as: UTF8.self).contains(#""rotated""#))
      return
    case .signIn(let word): (code, reason, needsSignIn) = (.interactionRequired, word, .refreshTokenRefused)
    case .consent(let word): (code, reason, needsSignIn) = (.interactionRequired, word, nil)
    case .kept(let kept, let word): (code, reason, needsSignIn) = (kept, word, nil)
    }
    // A failure that is stored for other processes means the same.
    for isThrottled in [false, true] {
      let error = try await failure { try await fixture.renew(account) }
      #expect(error.code == code && error.reason == reason, "\(error)")
      if needsSignIn != nil { #expect(error.hint == .signIn && error.isThrottled == isThrottled, "\(error)") }
    }
    #expect(try await fixture.application.sessionStatus(of: account).needsSignIn == needsSignIn)
    // Even a rejected refresh token is kept.
    transport.isActive.store(false, ordering: .relaxed)
    fixture.clock.advance(by: 121)
    #expect(try await !fixture.renew(account).isFromCache)
    // Only an error that a sign-in changes opens the browser.
    transport.isActive.store(true, ordering: .relaxed)
    var parameters = TokenParameters(scopes: ["User.Read"], account: account)
    parameters.forceRefresh = true
    let token = try? await fixture.application.token(with: parameters)
    #expect((token != nil) == (code == .interactionRequired))
  }
}
