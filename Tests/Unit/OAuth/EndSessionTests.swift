import MSAuthCore
import MSAuthOAuth
import Testing

@Suite("sign-out")
struct EndSessionTests {
  @Test("rp-init-logout: the URL has the hint, the redirect URI and the state")
  func url() throws {
    let url = try EndSession.url(
      endpoint: "https://id.example/logout?x=1",
      idTokenHint: Secret("a.b.c"),
      logoutHint: "hint",
      clientID: "c",
      postLogoutRedirectURI: "http://localhost:1",
      state: Secret("s"),
      extraQuery: ["dc": "EU"]
    )
    let parameters = "id_token_hint=a.b.c&logout_hint=hint&client_id=c"
    let redirect = "post_logout_redirect_uri=http%3A%2F%2Flocalhost%3A1"
    #expect(url == "https://id.example/logout?x=1&\(parameters)&\(redirect)&state=s&dc=EU")
  }

  @Test("a request without parameters is the endpoint, and without a redirect URI, no state is sent")
  func bare() throws {
    let endpoint = "https://id.example/logout"
    #expect(try EndSession.url(endpoint: endpoint, state: Secret("s")) == "https://id.example/logout")
  }

  @Test("extra parameters can't replace built-in ones", arguments: ["state", "ID_TOKEN_HINT", "client_id"])
  func extra(_ name: String) throws {
    let error = #expect(throws: AuthenticationError.self) {
      try EndSession.url(endpoint: "https://id.example", extraQuery: [name: "x"])
    }
    #expect(error?.message == "extra parameter \"\(name)\" is rejected: it is sent already")
  }

  @Test(
    "rp-init-logout-other-state, rp-init-logout-no-state: only the right state confirms, and only once",
    arguments: [
      ("state=right", .success(true)), ("x=1&state=right&x=%FF", .success(true)), ("state=", .success(false)),
      ("", .success(false)),
      ("state=wrong", .failure(Rejection("the state doesn't match this sign-out"))),
      ("state=right&state=right", .failure(Rejection("state occurs twice"))),
      ("state=&state=right", .failure(Rejection("state occurs twice"))),
    ] as [(String, Result<Bool, Rejection>)]
  )
  func isConfirmed(_ query: String, _ expected: Result<Bool, Rejection>) {
    let confirmed = Result { () throws(Rejection) in
      try EndSession.isConfirmed(by: FormEncoding.decode(query), state: Secret("right"))
    }
    #expect(confirmed == expected)
  }

  @Test("an empty state confirms nothing")
  func emptyState() throws {
    #expect(try !EndSession.isConfirmed(by: FormEncoding.decode("state="), state: Secret("")))
  }

  @Test("a revocation has the token, its kind and the client")
  func revocation() throws {
    let client = try OAuthClient("c", at: Authority("https://id.example"))
    let body = FormRequest.revocation(of: Secret("r&t"), to: "https://id.example/revoke", from: client).body
    #expect(body.revealed == "client_id=c&token=r%26t&token_type_hint=refresh_token")
  }

  @Test(
    "a revocation's response is reported",
    arguments: [
      (200, "", RevocationOutcome.revoked), (204, "", .revoked), (200, #"{"error":"x"}"#, .revoked),
      (400, #"{"error":"unsupported_token_type"}"#, .unsupported),
      (503, "", .failed("the provider is unavailable (HTTP status 503)")),
      (401, #"{"error":"invalid_client"}"#, .notAllowed("invalid_client")),
    ]
  )
  func outcome(_ status: Int, _ body: String, _ expected: RevocationOutcome) {
    #expect(RevocationOutcome(EndpointResponse(status: status, body: Array(body.utf8))) == expected)
  }

  @Test("an invalid response is a failure, and isn't shown", arguments: [302, 404, 400])
  func failed(_ status: Int) {
    let outcome = RevocationOutcome(EndpointResponse(status: status, body: Array("<b>".utf8)))
    #expect({ if case .failed(let reason) = outcome { !reason.contains("<b>") } else { false } }(), "\(outcome)")
  }
}
