import MSAuthCore
@testable import MSAuthOAuth
import TestSupport
import Testing

@Suite("requests with secrets")
struct TokenRequestTests {
  static func form(_ body: Secret) throws -> [String] {
    FormEncoding.decode(body.revealed).map { "\($0.name)=\($0.value)" }
  }

  static let endpoint = "https://id.example/token"

  static let code = TokenRequest.Grant.authorizationCode(
    code: Secret("c0de"),
    redirectURI: "http://localhost:4711",
    verifier: Secret("ver1f1er")
  )

  static let entra = OAuthClient("c", at: .microsoftCommon, correlationID: "id-1")

  static func client() throws -> OAuthClient {
    try OAuthClient("c", at: Authority("https://id.example"), correlationID: "id-1")
  }

  @Test("a code's request has its redirect URI and verifier")
  func code() throws {
    let expected = [
      "client_id=c", "grant_type=authorization_code", "code=c0de", "redirect_uri=http://localhost:4711",
      "code_verifier=ver1f1er",
    ]
    #expect(try Self.form(TokenRequest(Self.code).form(to: Self.endpoint, from: Self.client()).body) == expected)
    let form = try TokenRequest(Self.code, claims: #"{"a":1}"#).form(to: Self.endpoint, from: Self.entra)
    #expect(try Self.form(form.body) == expected + ["client_info=1", #"claims={"a":1}"#])
  }

  @Test(
    "a refresh requests only granted scopes",
    arguments: [
      ("a b", "a", "a"), ("a b", nil, "a b"), ("A", "a c", nil), ("b", "a", nil), ("", "a", nil),
      ("a openid offline_access", "a openid", "a openid"),
    ] as [(String, String?, String?)]
  )
  func refresh(_ requested: String, _ granted: String?, _ sent: String?) throws {
    let granted = try granted.map { try Scopes(parsing: $0) }
    let request = TokenRequest(.refreshToken(Secret("rt"), scopes: try Scopes(parsing: requested), granted: granted))
    let form = try Self.form(request.form(to: Self.endpoint, from: Self.client()).body)
    #expect(form.contains("grant_type=refresh_token") && form.contains("refresh_token=rt"))
    #expect(form.first { $0.hasPrefix("scope=") } == sent.map { "scope=" + $0 })
  }

  @Test("a device code has its own grant type")
  func device() throws {
    #expect(
      try Self.form(TokenRequest(.deviceCode(Secret("dc"))).form(to: Self.endpoint, from: Self.client()).body)
        == ["client_id=c", "grant_type=urn:ietf:params:oauth:grant-type:device_code", "device_code=dc"]
    )
  }

  static let authentications: [(ClientAuthentication, form: [String], basic: String?)] = [
    (.none, ["client_id=a:b"], nil),
    (.secretPost(Secret("s&t")), ["client_id=a:b", "client_secret=s&t"], nil),
    // RFC 6749 §2.3.1: form-encoded before base64.
    (.secretBasic(Secret("s&t")), ["client_id=a:b"], "YSUzQWI6cyUyNnQ="),
  ]

  @Test(
    "the client authenticates alike at every endpoint (RFC 9126 §2, RFC 8628 §3.1, RFC 7009 §2.1)",
    arguments: authentications
  )
  func authentication(_ authentication: ClientAuthentication, form: [String], basic: String?) throws {
    let authority = try Authority("https://id.example")
    let client = OAuthClient("a:b", at: authority, authentication: authentication)
    let forms = [
      try TokenRequest(Self.code).form(to: Self.endpoint, from: client),
      .revocation(of: Secret("rt"), to: Self.endpoint, from: client),
      .deviceAuthorization(to: Self.endpoint, from: client, scopes: .none),
      try ProtocolFixtures.request().pushedForm(to: Self.endpoint, from: client),
    ]
    for request in forms {
      #expect(try Self.form(request.body).filter { $0.hasPrefix("client_") && !$0.hasPrefix("client_info") } == form)
      #expect(request.basicCredentials?.revealed == basic)
      #expect(request.headers.contains { $0 == ("Content-Type", FormEncoding.mediaType) })
    }
  }

  @Test("diagnostic fields are sent only to Microsoft")
  func headers() throws {
    func headers(_ client: OAuthClient) throws -> [(name: String, value: String)] {
      try TokenRequest(Self.code).form(to: Self.endpoint, from: client).headers
    }
    #expect(try headers(Self.client()).map(\.name) == ["Content-Type", "Accept"])
    let fields = try headers(Self.entra)
    for field in [
      (name: "client-request-id", value: "id-1"), ("x-client-SKU", "msauth"),
      ("x-ms-lib-capability", "retry-after, h429"),
    ] { #expect(fields.contains { $0 == field }) }
    let split = OAuthClient("c", at: .microsoftCommon, correlationID: "a\r\nX: y")
    #expect(try !headers(split).contains { $0.value.contains("\n") })
  }

  @Test("no secret is printed, on its own or in another value")
  func secrets() throws {
    let values: [Any] = try [
      Secret("c0de"), TokenRequest(Self.code), TokenRequest(Self.code).form(to: Self.endpoint, from: Self.entra),
    ]
    for value in values { #expect(!printed(value).contains("c0de") && !printed(value).contains("ver1f1er")) }
  }

  @Test("client_info identifies the account", arguments: ["", "=="])
  func clientInfo(_ padding: String) throws {
    let text = Base64URL.encode(#"{"uid":"u-1","utid":"t-1","x":1}"#.utf8)
    #expect(try ClientInfo(parsing: Secret(text + padding)).homeAccountID == "u-1.t-1")
  }

  @Test(
    "client_info in another format is rejected",
    arguments: [
      (notAnObject, encoded("")), (notAnObject, encoded("[]")), (notAnObject, "*" + encoded("{}")),
      (notAnObject, encoded(#"{"uid":"a","uid":"b","utid":"t"}"#)),
      (notAnObject, encoded(#"{"uid":""# + String(repeating: "a", count: 5000) + #"","utid":"t"}"#)),
      (noIDs, encoded("{}")), (noIDs, encoded(#"{"uid":"u"}"#)), (noIDs, encoded(#"{"uid":"","utid":"t"}"#)),
      (noIDs, encoded(#"{"uid":1,"utid":"t"}"#)), (noIDs, encoded(#"{"uid":"a b","utid":"t"}"#)),
      (noIDs, encoded(#"{"uid":"a\n","utid":"t"}"#)),
    ]
  )
  func badClientInfo(error: AuthenticationError, text: String) {
    #expect(throws: error) { try ClientInfo(parsing: Secret(text)) }
  }

  private static let notAnObject = AuthenticationError.invalidResponse("client_info isn't an encoded JSON object")
  private static let noIDs = AuthenticationError.invalidResponse("client_info lacks uid or utid")

  private static func encoded(_ json: String) -> String { Base64URL.encode(json.utf8) }
}
