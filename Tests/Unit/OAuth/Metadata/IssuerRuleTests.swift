import MSAuthCore
@testable import MSAuthOAuth
import Testing

@Suite("issuers")
struct IssuerRuleTests {
  static let tenant = ProtocolFixtures.tenantID

  @Test(
    "the authority's own issuer is accepted",
    arguments: [
      ("https://id.example", nil, "https://id.example"),
      ("https://id.example", nil, "https://id.example/"),
      ("https://id.example/realm/", nil, "https://id.example/realm"),
      ("https://fs.example/adfs", nil, "https://fs.example/adfs"),
      ("https://login.microsoftonline.com/\(tenant)", nil, "https://login.microsoftonline.com/\(tenant)/v2.0"),
      ("https://login.microsoftonline.com/contoso.com", nil, "https://login.microsoftonline.com/\(tenant)/v2.0"),
      ("https://login.windows.net/contoso.com", nil, "https://login.microsoftonline.com/\(tenant)/v2.0"),
      ("https://contoso.ciamlogin.com", nil, "https://\(tenant).ciamlogin.com/\(tenant)/v2.0"),
      ("https://login.contoso.com/\(tenant)", .ciam, "https://\(tenant).ciamlogin.com/\(tenant)/v2.0"),
      ("https://login.contoso.com/\(tenant)/v2.0", nil, "https://\(tenant).ciamlogin.com/\(tenant)/v2.0"),
      ("https://login.contoso.com/\(tenant)/v2.0", nil, "https://login.microsoftonline.com/\(tenant)/v2.0"),
      ("https://login.contoso.com/\(tenant)", .aad, "https://login.microsoftonline.com/\(tenant)/v2.0"),
      ("https://c.b2clogin.com/c.onmicrosoft.com/p", nil, "https://c.b2clogin.com/\(tenant)/v2.0/"),
      ("https://c.b2clogin.com/tfp/c.onmicrosoft.com/p", nil, "https://c.b2clogin.com/tfp/\(tenant)/p/v2.0/"),
      ("http://127.0.0.1:81/contoso.com", .aad, "http://127.0.0.1:81/\(tenant)/v2.0"),
    ] as [(String, Authority.Kind?, String)]
  )
  func exact(_ url: String, _ kind: Authority.Kind?, _ issuer: String) throws {
    let authority = try Authority(url, kind: kind)
    let metadata = try ProviderMetadata(parsing: ProtocolFixtures.document(issuer), for: authority)
    #expect(metadata.issuerRule == .exact(issuer))
    #expect(metadata.tenantID == (authority.isMicrosoft ? Self.tenant : nil))
    #expect(metadata.issuerRule.expectedIssuer(tenantID: nil) == issuer)
  }

  @Test(
    "only Entra and External ID have an issuer template",
    arguments: [
      ("https://login.microsoftonline.com/common", nil, "https://login.microsoftonline.com/{tenantid}/v2.0"),
      ("https://login.microsoft.com/organizations", nil, "https://login.microsoftonline.com/{tenantid}/v2.0"),
      ("http://127.0.0.1:81/common", .aad, "http://127.0.0.1:81/{tenantid}/v2.0"),
      ("https://contoso.ciamlogin.com", nil, "https://contoso.ciamlogin.com/{tenantid}/v2.0"),
    ] as [(String, Authority.Kind?, String)]
  )
  func template(_ url: String, _ kind: Authority.Kind?, _ issuer: String) throws {
    let authority = try Authority(url, kind: kind)
    let metadata = try ProviderMetadata(parsing: ProtocolFixtures.document(issuer), for: authority)
    let rule = metadata.issuerRule
    #expect(rule.expectedIssuer(tenantID: nil) == nil && metadata.tenantID == nil)
    #expect(rule == .tenantTemplate(issuer))
    #expect(rule.expectedIssuer(tenantID: Self.tenant) == issuer.replacing("{tenantid}", with: Self.tenant))
  }

  @Test(
    "discovery-issuer-mismatch: a different issuer is rejected",
    arguments: [
      (
        "https://id.example", nil,
        [
          "https://evil.example", "https://id.example/x", "http://id.example", "https://id.example:444",
          "https://id.example?x", "https://id.example#x", "https://id.example.evil.example",
          "https://{tenantid}.example",
        ]
      ),
      ("https://id.example/00000000-0000-0000-0000-000000000000", nil, ["https://id.example/{tenantid}"]),
      ("https://id.example/Realm", nil, ["https://id.example/realm"]),
      (
        "https://login.microsoftonline.com/common", nil,
        [
          "https://evil.example/{tenantid}/v2.0", "https://{tenantid}.microsoftonline.com/v2.0",
          "https://login.microsoftonline.com/{tenantid}/{tenantid}", "https://login.microsoftonline.com/x/{tenantid}",
          "https://login.microsoftonline.us/{tenantid}/v2.0", "http://login.microsoftonline.com/{tenantid}/v2.0",
        ]
      ),
      ("http://127.0.0.1:81/common", .aad, ["https://127.0.0.1:81/{tenantid}/v2.0"]),
      (
        "https://login.microsoftonline.com/\(tenant)", nil,
        ["https://login.microsoftonline.com/00000000-0000-0000-0000-000000000001/v2.0"]
      ),
      (
        "https://c.b2clogin.com/c.onmicrosoft.com/p", nil,
        ["https://c.b2clogin.com/{tenantid}/v2.0/", "https://d.b2clogin.com/\(tenant)/v2.0/"]
      ),
      ("https://contoso.ciamlogin.com", nil, ["https://\(tenant).ciamlogin.com.evil.example/\(tenant)/v2.0"]),
      (
        "https://login.contoso.com/\(tenant)/v2.0", nil,
        [
          "https://evil.example/\(tenant)/v2.0", "https://\(tenant).ciamlogin.com.evil.example/\(tenant)/v2.0",
          "https://login.microsoftonline.com/00000000-0000-0000-0000-000000000001/v2.0",
          "https://login.microsoftonline.com/{tenantid}/v2.0", "https://login.microsoftonline.com:444/\(tenant)/v2.0",
          "http://login.microsoftonline.com/\(tenant)/v2.0", "https://login.microsoftonline.com/x/\(tenant)/v2.0",
        ]
      ),
      ("https://login.contoso.com/v2.0", nil, ["https://login.microsoftonline.com/\(tenant)/v2.0"]),
    ] as [(String, Authority.Kind?, [String])]
  )
  func mismatch(_ url: String, _ kind: Authority.Kind?, _ issuers: [String]) throws {
    let authority = try Authority(url, kind: kind)
    for issuer in issuers {
      let error = #expect(throws: AuthenticationError.self, "\(issuer)") {
        try ProviderMetadata(parsing: ProtocolFixtures.document(issuer), for: authority)
      }
      #expect(error?.message.contains("issuer \(issuer) doesn't match") == true, "\(error as Any)")
    }
  }

  @Test(
    "a rejected authority's error names the right issuer, only on its own host",
    arguments: [
      ("https://id.example/realms/staff", "https://id.example/realms/Staff", true),
      ("https://id.example", "https://id.example/tenant", true),
      ("https://id.example", "https://other.example", false),
      ("https://id.example", "http://id.example", false),
      ("https://id.example", "https://id.example@other.example", false),
    ]
  )
  func otherIssuer(_ url: String, _ issuer: String, _ isNamed: Bool) throws {
    let authority = try Authority(url, kind: .oidc)
    let error = #expect(throws: AuthenticationError.self) {
      try ProviderMetadata(parsing: ProtocolFixtures.document(issuer), for: authority)
    }
    #expect(error?.reason == "invalid_metadata")
    let isHinted = error?.specificHint?.description.hasSuffix("use its issuer: \(issuer)") ?? false
    #expect(isHinted == isNamed, "\(error as Any)")
  }
}
