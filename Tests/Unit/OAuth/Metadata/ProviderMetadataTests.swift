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

  static let hostile = [
    "javascript:alert(1)", "-oProxyCommand=x", " https://id.example/a", "https://id.example/a\nb",
    "https://id.example/\u{1B}[31m", "https://u@id.example/a", "http://id.example/a", "https://id.example/a#f",
    "https://id.example/a\"b", "https://id.example/`id`", "https://id.example/\u{202E}x", "http://127.0.0.1/a",
  ]

  @Test(
    "a hostile or invalid endpoint is rejected",
    arguments: ["authorization_endpoint", "token_endpoint", "jwks_uri"],
    hostile
  )
  func requiredEndpoint(_ name: String, _ value: String) {
    let error = #expect(throws: AuthenticationError.self) { try ProtocolFixtures.metadata([name: .string(value)]) }
    #expect(error?.message.contains(name) == true)
    #expect(error?.message.contains("\u{1B}") == false)
  }

  @Test(
    "a hostile or invalid optional endpoint is dropped with a reason",
    arguments: [
      "end_session_endpoint", "revocation_endpoint", "device_authorization_endpoint",
      "pushed_authorization_request_endpoint", "userinfo_endpoint",
    ],
    hostile
  )
  func optionalEndpoint(_ name: String, _ value: String) throws {
    let metadata = try ProtocolFixtures.metadata([name: .string(value)])
    let optional = [
      metadata.endSessionEndpoint, metadata.revocationEndpoint, metadata.deviceAuthorizationEndpoint,
      metadata.pushedAuthorizationRequestEndpoint, metadata.userinfoEndpoint,
    ]
    #expect(optional.allSatisfy { $0 == nil })
    #expect(metadata.ignoredMembers[name]?.contains(name) == true)
    #expect(metadata.ignoredMembers[name]?.contains("\u{1B}") == false)
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
      ("response_types_supported", ["id_token"], "doesn't offer the authorization code flow"),
      ("padding", .string(String(repeating: "x", count: ProviderMetadata.bodyLimit)), "isn't a JSON object"),
    ] as [(String, JSONValue, String)]
  )
  func rejected(_ name: String, _ value: JSONValue, _ reason: String) {
    let error = #expect(throws: AuthenticationError.self) { try ProtocolFixtures.metadata([name: value]) }
    #expect(error?.message.contains(reason) == true)
  }

  @Test(
    "an invalid document is rejected",
    arguments: [
      ("", "isn't a JSON object"), ("[]", "isn't a JSON object"), ("null", "isn't a JSON object"),
      ("\"x\"", "isn't a JSON object"), ("{", "isn't a JSON object"), ("<html>", "is a web page"),
      ("{\"issuer\":\"https://id.example\"}", "authorization_endpoint is missing"),
    ]
  )
  func noDocument(_ body: String, _ reason: String) throws {
    let authority = try Authority("https://id.example")
    let error = #expect(throws: AuthenticationError.self) {
      try ProviderMetadata(parsing: Array(body.utf8), for: authority)
    }
    #expect(error?.message.contains(reason) == true)
  }
}
