import MSAuthCore
import Testing

@testable import MSAuthOAuth

@Suite("protected resource metadata")
struct ProtectedResourceTests {
  @Test(
    "the resource is the requested URL, or a prefix of its segments",
    arguments: [
      ("https://host/mcp", "https://host/mcp", true), ("https://host", "https://host/mcp", true),
      ("https://host/", "https://host/mcp", true), ("https://HOST:443/mcp/", "https://host/mcp", true),
      ("https://host/a", "https://host/a/mcp?team=1", true), ("https://host/mc", "https://host/mcp", false),
      ("https://host/mcp/x", "https://host/mcp", false), ("https://other/mcp", "https://host/mcp", false),
      ("http://host/mcp", "https://host/mcp", false), ("https://host:8443/mcp", "https://host/mcp", false),
      ("https://host/mcp?team=2", "https://host/mcp?team=1", false),
      ("https://host/a/../mcp", "https://host/mcp", false),
      ("api://host/mcp", "https://host/mcp", false), ("http://127.0.0.1:1/mcp", "http://127.0.0.1:1/mcp", true),
    ]
  )
  func resource(resource: String, url: String, isAccepted: Bool) throws {
    let body = Array("{\"resource\": \"\(resource)\", \"authorization_servers\": [\"https://issuer\"]}".utf8)
    let requested = try WebURL(url, .endpoint)
    let metadata = try? ProtectedResourceMetadata(parsing: body, from: url, of: requested)
    #expect((metadata != nil) == isAccepted)
    // Its bytes are sent to the token endpoint.
    if isAccepted { #expect(metadata?.resource == resource) }
  }

  @Test("scopes are split and merged, and invalid ones are left out")
  func scopes() throws {
    let text = #"{"resource":"https://host/mcp","scopes_supported":["a b","a","","c\u0007","é"]}"#
    let requested = try WebURL("https://host/mcp", .endpoint)
    let metadata = try ProtectedResourceMetadata(parsing: Array(text.utf8), from: "https://host/m", of: requested)
    #expect(metadata.scopesSupported == ["a", "b"] && metadata.ignoredMembers.count == 1)
  }

  @Test("it is below the path first, then at the root")
  func locations() throws {
    #expect(
      ProtectedResourceMetadata.urls(for: try WebURL("https://host:8443/a/mcp/", .endpoint)) == [
        "https://host:8443/.well-known/oauth-protected-resource/a/mcp",
        "https://host:8443/.well-known/oauth-protected-resource",
      ]
    )
    let root = "https://host/.well-known/oauth-protected-resource"
    let queried = [root + "/mcp?tenant=a", root + "/mcp", root]
    #expect(ProtectedResourceMetadata.urls(for: try WebURL("https://host/mcp?tenant=a", .endpoint)) == queried)
    #expect(ProtectedResourceMetadata.urls(for: try WebURL("https://host/", .endpoint)) == [root])
  }

  @Test(
    "a resource's challenge",
    arguments: [
      (
        #"Bearer resource_metadata="https://host/m", scope="read write""#, ["https://host/m"], ["read", "write"], false
      ),
      ("Bearer resource_metadata=https://host/m, scope=read", ["https://host/m"], ["read"], false),
      (
        "Bearer resource_metadata=\"https://a\", Bearer resource_metadata=https://b", ["https://a", "https://b"], [],
        false
      ),
      (#"Basic realm="x", Bearer error="insufficient_scope", scope=admin"#, [], ["admin"], true),
      (
        #"DPoP resource_metadata="https://a", error="insufficient_scope", scope="x""#, ["https://a"], ["x"], true
      ),
      (#"Digest resource_metadata="https://evil""#, [], [], false), ("", [], [], false),
    ] as [(String, [String], [String], Bool)]
  )
  func challenge(field: String, urls: [String], scopes: [String], isInsufficient: Bool) {
    let challenge = ResourceChallenge(wwwAuthenticate: [field])
    #expect(challenge.metadataURLs == urls)
    #expect(challenge.scopes == scopes)
    #expect(challenge.isInsufficientScope == isInsufficient)
    #expect(challenge.requirements == nil)
  }

  @Test("a challenge's requirements besides scopes and another token are those of every resource")
  func requirements() {
    let field = #"Bearer error="invalid_token", scope="a", claims="eyJhIjp7fX0""#
    let challenge = ResourceChallenge(wwwAuthenticate: [field, #"Bearer resource_metadata="https://b""#])
    #expect(challenge.requirements == ResourceRequirements(claims: #"{"a":{}}"#) && challenge.scopes == ["a"])
  }

  @Test(
    "at Microsoft, a resource's scopes are its own, or a confirmed application's",
    arguments: [
      (["access"], ["https://host/mcp/access"], []),
      (["https://host/mcp/access", "openid", "offline_access"], ["https://host/mcp/access"], []),
      (["api://app/read", "api://app/write"], ["api://app/read", "api://app/write"], ["api://app"]),
      (["https://graph.microsoft.com/User.Read"], nil, []), (["https://host/mcpx/access"], nil, []),
      (["https://host/.default", "email"], ["https://host/.default", "email"], []),
      (["00000003-0000-0000-c000-000000000000/.default"], nil, []),
      (["api://app"], nil, []), (["api:///x"], nil, []), (["urn:app:x"], nil, []),
    ] as [([String], [String]?, [String])]
  )
  func microsoft(scopes: [String], expected: [String]?, identifiers: [String]) {
    let checked = try? MicrosoftResourceScopes(scopes, of: "https://host/mcp")
    #expect(checked?.names == expected)
    #expect(checked?.identifiers ?? [] == identifiers)
  }

  @Test("a resource's authority has its own metadata, issuer and cache entries")
  func authority() throws {
    let authority = try Authority(issuer: "https://issuer/tenant/", of: "https://host/mcp")
    #expect(
      authority.metadataURLs == [
        "https://issuer/.well-known/oauth-authorization-server/tenant",
        "https://issuer/.well-known/openid-configuration/tenant",
        "https://issuer/tenant/.well-known/openid-configuration",
      ]
    )
    #expect(authority.issuerPath == "tenant#https://host/mcp")
    #expect(authority != (try Authority("https://issuer/tenant/")))
    func metadata(_ issuer: String, for authority: Authority) throws -> ProviderMetadata {
      let endpoints = #""authorization_endpoint": "https://issuer/a", "token_endpoint": "https://issuer/t""#
      return try ProviderMetadata(parsing: Array(#"{"issuer": "\#(issuer)", \#(endpoints)}"#.utf8), for: authority)
    }
    _ = try metadata("https://issuer/tenant/", for: authority)
    // An empty path and a slash are one URL, and redirects have the metadata's spelling.
    let root = try Authority(issuer: "https://issuer", of: "https://host/mcp")
    #expect(try metadata("https://issuer/", for: root).issuerRule == .exact("https://issuer/"))
    let mismatch = #expect(throws: AuthenticationError.self) { try metadata("https://issuer/tenant", for: authority) }
    #expect(mismatch?.message.contains("issuer https://issuer/tenant doesn't match") == true)
    // ID tokens require keys.
    let account = try Authority("https://issuer/tenant")
    let missing = #expect(throws: AuthenticationError.self) { try metadata("https://issuer/tenant", for: account) }
    #expect(missing?.message.hasSuffix("jwks_uri is missing") == true)
  }

  @Test("a registration is for a native application without a secret")
  func registration() throws {
    let request = DynamicRegistration.request(redirectURI: "http://127.0.0.1:4000/", scopes: ["read", "write"])
    let members = try JSONValue.object(parsing: request.revealed.utf8)
    #expect(members["redirect_uris"] == ["http://127.0.0.1:4000/"])
    #expect(members["application_type"] == "native" && members["token_endpoint_auth_method"] == "none")
    #expect(members["grant_types"] == ["authorization_code", "refresh_token"])
    #expect(members["scope"] == "read write")

    func client(_ body: String, status: Int = 201) throws {
      _ = try DynamicRegistration.client(EndpointResponse(status: status, body: Array(body.utf8)))
    }
    let error = #expect(throws: AuthenticationError.self) {
      try client(#"{"error": "invalid_redirect_uri"}"#, status: 400)
    }
    #expect(error?.provider?.error == "invalid_redirect_uri")
    #expect(throws: AuthenticationError.invalidResponse("client_id contains an invalid character")) {
      try client(#"{"client_id": "a\nb"}"#)
    }
  }
}
