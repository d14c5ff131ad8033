import MSAuthCore
import MSAuthOAuth
import Testing

@Suite("authorities")
struct AuthorityTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let given: String
    var kind: Authority.Kind?
    let expected: Authority.Kind
    let url: String
    let metadata: String
    var tenant: String?
    var testDescription: String { "\(given) \(kind?.rawValue ?? "")" }
  }

  static let cases = [
    Case(
      given: "https://login.microsoftonline.com/common",
      expected: .aad,
      url: "https://login.microsoftonline.com/common",
      metadata: "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration",
      tenant: "common"
    ),
    Case(
      given: "HTTPS://Login.MicrosoftOnline.COM:443/Contoso.onmicrosoft.com/v2.0/",
      expected: .aad,
      url: "https://login.microsoftonline.com/contoso.onmicrosoft.com",
      metadata: "https://login.microsoftonline.com/contoso.onmicrosoft.com/v2.0/.well-known/openid-configuration",
      tenant: "contoso.onmicrosoft.com"
    ),
    Case(
      given: "https://login.microsoftonline.us/organizations",
      expected: .aad,
      url: "https://login.microsoftonline.us/organizations",
      metadata: "https://login.microsoftonline.us/organizations/v2.0/.well-known/openid-configuration",
      tenant: "organizations"
    ),
    Case(
      given: "https://login.partner.microsoftonline.cn/common/",
      expected: .aad,
      url: "https://login.partner.microsoftonline.cn/common",
      metadata: "https://login.partner.microsoftonline.cn/common/v2.0/.well-known/openid-configuration",
      tenant: "common"
    ),
    Case(
      given: "https://login.sovcloud-identity.fr/common",
      expected: .aad,
      url: "https://login.sovcloud-identity.fr/common",
      metadata: "https://login.sovcloud-identity.fr/common/v2.0/.well-known/openid-configuration",
      tenant: "common"
    ),
    Case(
      given: "http://127.0.0.1:8080/common",
      kind: .aad,
      expected: .aad,
      url: "http://127.0.0.1:8080/common",
      metadata: "http://127.0.0.1:8080/common/v2.0/.well-known/openid-configuration",
      tenant: "common"
    ),
    Case(
      given: "https://contoso.b2clogin.com/tfp/Contoso.onmicrosoft.com/B2C_1_Susi/extra",
      expected: .b2c,
      url: "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_Susi",
      metadata: "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_Susi"
        + "/v2.0/.well-known/openid-configuration",
      tenant: "contoso.onmicrosoft.com"
    ),
    Case(
      given: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_susi",
      expected: .b2c,
      url: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_susi",
      metadata: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_susi"
        + "/v2.0/.well-known/openid-configuration",
      tenant: "contoso.onmicrosoft.com"
    ),
    Case(
      given: "https://login.contoso.com/tfp/contoso.onmicrosoft.com/b2c_1_susi",
      expected: .b2c,
      url: "https://login.contoso.com/tfp/contoso.onmicrosoft.com/b2c_1_susi",
      metadata: "https://login.contoso.com/tfp/contoso.onmicrosoft.com/b2c_1_susi"
        + "/v2.0/.well-known/openid-configuration",
      tenant: "contoso.onmicrosoft.com"
    ),
    Case(
      given: "https://contoso.ciamlogin.com",
      expected: .ciam,
      url: "https://contoso.ciamlogin.com/contoso.onmicrosoft.com",
      metadata: "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/v2.0/.well-known/openid-configuration",
      tenant: "contoso.onmicrosoft.com"
    ),
    Case(
      given: "https://contoso.ciamlogin.com/\(ProtocolFixtures.tenantID)/",
      expected: .ciam,
      url: "https://contoso.ciamlogin.com/\(ProtocolFixtures.tenantID)",
      metadata: "https://contoso.ciamlogin.com/\(ProtocolFixtures.tenantID)/v2.0/.well-known/openid-configuration",
      tenant: ProtocolFixtures.tenantID
    ),
    Case(
      given: "https://fs.contoso.com/ADFS/ls",
      expected: .adfs,
      url: "https://fs.contoso.com/adfs",
      metadata: "https://fs.contoso.com/adfs/.well-known/openid-configuration"
    ),
    Case(
      given: "https://id.example.com/adfs/realm",
      expected: .oidc,
      url: "https://id.example.com/adfs/realm",
      metadata: "https://id.example.com/adfs/realm/.well-known/openid-configuration"
    ),
    Case(
      given: "https://accounts.example.com/",
      expected: .oidc,
      url: "https://accounts.example.com",
      metadata: "https://accounts.example.com/.well-known/openid-configuration"
    ),
    Case(
      given: "https://accounts.example.com:8443/realms/Main/",
      expected: .oidc,
      url: "https://accounts.example.com:8443/realms/Main",
      metadata: "https://accounts.example.com:8443/realms/Main/.well-known/openid-configuration"
    ),
    Case(
      given: "http://[::1]:9000",
      expected: .oidc,
      url: "http://[::1]:9000",
      metadata: "http://[::1]:9000/.well-known/openid-configuration"
    ),
    Case(
      given: "https://login.microsoftonline.com.evil.example/common",
      expected: .oidc,
      url: "https://login.microsoftonline.com.evil.example/common",
      metadata: "https://login.microsoftonline.com.evil.example/common/.well-known/openid-configuration"
    ),
    Case(
      given: "https://contoso.ciamlogin.com.evil.example",
      expected: .oidc,
      url: "https://contoso.ciamlogin.com.evil.example",
      metadata: "https://contoso.ciamlogin.com.evil.example/.well-known/openid-configuration"
    ),
  ]

  @Test("the kind, the canonical URL and the metadata's URL follow from the URL", arguments: cases)
  func recognised(_ example: Case) throws {
    let authority = try Authority(parsing: example.given, kind: example.kind)
    #expect(authority.kind == example.expected)
    #expect(authority.url == example.url)
    #expect(authority.metadataURL == example.metadata)
    #expect(authority.tenant == example.tenant)
  }

  @Test("a canonical URL names the same authority again", arguments: cases)
  func stable(_ example: Case) throws {
    let authority = try Authority(parsing: example.given, kind: example.kind)
    #expect(try Authority(parsing: authority.url, kind: example.kind) == authority)
  }

  @Test(
    "what is no authority is refused",
    arguments: [
      "", "login.microsoftonline.com/common", "ftp://login.microsoftonline.com/common", "javascript:alert(1)",
      "https://", "https:///common", "http://login.microsoftonline.com/common", "http://127.0.0.1.evil.example/",
      "http://localhost.evil.example", "http://127.1/", "http://0127.0.0.1/", "http://192.168.0.1/",
      "https://user@login.microsoftonline.com/common", "https://user:pw@id.example", "https://id.example?x=1",
      "https://id.example/#f", "https://id.example:0", "https://id.example:65536", "https://id.example:",
      "https://id.example:44a", "https://id.exa mple", "https://id.example/a b", "https://id.example/\u{7}",
      "https://id.example/\n", "https://idé.example", "https://id..example", "https://-id.example",
      "https://id.example/../x", "https://id.example/./x", "https://id.example/a//b", "https://id.example/%",
      "https://id.example/%2e%2e/x", "https://id.example/%2F", "https://id.example/%00", "https://id.example\\@evil",
      "https://[::1", "https://[evil]", "https://login.microsoftonline.com", "https://login.microsoftonline.com/a_b",
      "https://contoso.b2clogin.com/contoso.onmicrosoft.com", "https://contoso.b2clogin.com",
      "https://id.example/" + String(repeating: "a", count: 3000),
    ]
  )
  func refused(_ text: String) {
    #expect(throws: Failure.self) { try Authority(parsing: text) }
  }

  @Test(
    "the refusal says what is wrong",
    arguments: [
      ("http://id.example", "only https"), ("id.example", "https://"), ("https://u@id.example", "user part"),
      ("https://id.example#x", "fragment"), ("https://id.example?x", "query"), ("https://id.example:0", "port"),
      ("https://id_.-example", "host"), ("https://id.example/\u{1B}", "character"),
      ("https://login.microsoftonline.com", "/common"), ("https://c.b2clogin.com/c", "policy"),
    ]
  )
  func refusalIsPlain(_ url: String, _ word: String) throws {
    let error = try #require(throws: Failure.self) { try Authority(parsing: url) }
    #expect(error.reason == "invalid_authority")
    #expect(error.message.contains(word) && error.message == error.message.printable())
    #expect(error.hint != nil)
  }

  @Test("this machine may speak plain http", arguments: ["127.0.0.1", "127.9.8.7", "localhost", "LOCALHOST", "[::1]"])
  func loopback(_ host: String) throws {
    #expect(try Authority(parsing: "http://\(host):8080").isPlainHTTP)
  }
}
