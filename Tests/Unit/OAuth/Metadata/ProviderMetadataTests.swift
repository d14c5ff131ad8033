import MSAuthCore
@testable import MSAuthOAuth
import Testing

@Suite("provider metadata")
struct ProviderMetadataTests {
  @Test("listed values are supported, an endpoint may have a query, and a document round-trips through the cache")
  func complete() throws {
    let metadata = try ProtocolFixtures.metadata([
      "end_session_endpoint": "https://id.example/logout?x=1", "response_modes_supported": ["query", "form_post"],
      "prompt_values_supported": ["login"], "unknown": ["kept": 1],
    ])
    #expect(metadata.endSessionEndpoint == "https://id.example/logout?x=1")
    #expect(metadata.supports(Prompt.login) && !metadata.supports(Prompt.consent))
    #expect(metadata.supports(ResponseMode.formPost))
    #expect(metadata.json["unknown"]?["kept"]?.integer == 1)
    let stored = JSONValue.object(metadata.json).serialized()
    #expect(try ProviderMetadata(parsing: stored, for: Authority("https://id.example", kind: .oidc)) == metadata)
  }

  @Test("missing members have the specification's defaults")
  func defaults() throws {
    let metadata = try ProtocolFixtures.metadata()
    #expect(metadata.supports(ResponseMode.query) && !metadata.supports(ResponseMode.formPost))
    #expect(metadata.supports(Prompt.login) && metadata.supports(Prompt.consent))
    #expect(metadata.idTokenSigningAlgorithms == ["RS256"] && metadata.dpopSigningAlgorithms.isEmpty)
    #expect(!metadata.authorizationResponseIssParameterSupported && metadata.endSessionEndpoint == nil)
  }

  @Test(
    "a hostile or invalid endpoint is rejected; optional ones are dropped with a reason",
    arguments: [
      "authorization_endpoint", "token_endpoint", "jwks_uri", "end_session_endpoint", "revocation_endpoint",
      "device_authorization_endpoint", "pushed_authorization_request_endpoint", "userinfo_endpoint",
    ],
    [
      "javascript:alert(1)", "-oProxyCommand=x", " https://id.example/a", "https://id.example/a\nb",
      "https://id.example/\u{1B}[31m", "https://u@id.example/a", "http://id.example/a", "https://id.example/a#f",
      "https://id.example/a\"b", "https://id.example/`id`", "https://id.example/\u{202E}x", "http://127.0.0.1/a",
    ]
  )
  func hostileEndpoint(_ name: String, _ value: String) throws {
    let reason: String?
    if ["authorization_endpoint", "token_endpoint", "jwks_uri"].contains(name) {
      reason =
        #expect(throws: AuthenticationError.self) { try ProtocolFixtures.metadata([name: .string(value)]) }?.message
    } else {
      let metadata = try ProtocolFixtures.metadata([name: .string(value)])
      reason = metadata.ignoredMembers[name]
      let optional = [
        metadata.endSessionEndpoint, metadata.revocationEndpoint, metadata.deviceAuthorizationEndpoint,
        metadata.pushedAuthorizationRequestEndpoint, metadata.userinfoEndpoint,
      ]
      #expect(optional.allSatisfy { $0 == nil })
    }
    #expect(reason?.contains(name) == true)
    #expect(reason?.contains("\u{1B}") == false)
  }

  @Test("an endpoint can have empty path segments, and is unchanged")
  func emptySegments() throws {
    let metadata = try ProtocolFixtures.metadata([
      "authorization_endpoint": "https://id.example//authorize", "token_endpoint": "https://id.example//api//token/",
    ])
    #expect(metadata.authorizationEndpoint == "https://id.example//authorize")
    #expect(metadata.tokenEndpoint == "https://id.example//api//token/")
  }

  @Test("http endpoints are allowed only for an http authority on this machine")
  func loopback() throws {
    let body = ProtocolFixtures.document(
      "http://127.0.0.1:81",
      [
        "authorization_endpoint": "http://127.0.0.1:81/a", "token_endpoint": "http://localhost:81/t",
        "jwks_uri": "http://[::1]:81/k",
      ]
    )
    #expect(
      try ProviderMetadata(parsing: body, for: Authority("http://127.0.0.1:81")).tokenEndpoint.hasPrefix("http:")
    )
  }

  @Test(
    "a document without the code flow, or over the limit, is rejected",
    arguments: [
      ("response_types_supported", ["id_token"]),
      ("padding", .string(String(repeating: "x", count: ProviderMetadata.bodyLimit))),
    ] as [(String, JSONValue)]
  )
  func refused(_ name: String, _ value: JSONValue) {
    #expect(throws: AuthenticationError.self) { try ProtocolFixtures.metadata([name: value]) }
  }

  @Test(
    "an invalid document is rejected",
    arguments: ["", "[]", "null", "\"x\"", "<html>", "{", "{\"issuer\":\"https://id.example\"}"]
  )
  func noDocument(_ body: String) throws {
    let authority = try Authority("https://id.example")
    #expect(throws: AuthenticationError.self) { try ProviderMetadata(parsing: Array(body.utf8), for: authority) }
  }
}
