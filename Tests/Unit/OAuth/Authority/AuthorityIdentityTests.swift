import MSAuthCore
import MSAuthOAuth
import Testing

@Suite("an authority's aliases, issuer and tenant")
struct AuthorityIdentityTests {
  @Test(
    "a cloud's names are all of its aliases, the authority's own first",
    arguments: [
      (
        "https://login.microsoftonline.com/common",
        ["login.microsoftonline.com", "login.windows.net", "login.microsoft.com", "sts.windows.net"]
      ),
      (
        "https://login.windows.net/common",
        ["login.windows.net", "login.microsoftonline.com", "login.microsoft.com", "sts.windows.net"]
      ),
      (
        "https://login.chinacloudapi.cn/common",
        ["login.chinacloudapi.cn", "login.partner.microsoftonline.cn"]
      ),
      ("https://login.microsoftonline.us/common", ["login.microsoftonline.us", "login.usgovcloudapi.net"]),
      ("https://login.microsoftonline.de/common", ["login.microsoftonline.de"]),
      ("https://id.example", ["id.example"]),
      ("http://127.0.0.1:81", ["127.0.0.1:81"]),
    ]
  )
  func aliases(_ url: String, _ names: [String]) throws {
    #expect(try Authority(parsing: url).environmentAliases == names)
  }

  @Test(
    "the path, to the letter, distinguishes an issuer from others on its host; Microsoft has one issuer per host",
    arguments: [
      ("https://id.example", ""), ("https://id.example/", ""), ("https://id.example/Realms/staff/", "Realms/staff"),
      ("http://127.0.0.1:81/oidc", "oidc"), ("https://fs.example/ADFS", "adfs"),
      ("https://login.microsoftonline.com/common", nil), ("https://c.ciamlogin.com", nil),
      ("https://c.b2clogin.com/tfp/c.onmicrosoft.com/p", nil),
    ] as [(String, String?)]
  )
  func issuerPath(_ url: String, _ path: String?) throws {
    #expect(try Authority(parsing: url).issuerPath == path)
  }

  @Test("a host that the configuration vouches for is a cloud of Entra's")
  func knownHost() throws {
    let known = [try Authority(parsing: "https://login.private.example/common", kind: .aad)]
    #expect(try Authority(parsing: "https://Login.Private.example/t1", known: known).kind == .aad)
    #expect(try Authority(parsing: "https://other.private.example/t1", known: known).kind == .oidc)
  }

  @Test("a tenant replaces the audience and nothing else")
  func inTenant() throws {
    let tenant = ProtocolFixtures.tenantID
    let common = Authority.microsoftCommon
    #expect(common.inTenant(tenant.uppercased()).url == "https://login.microsoftonline.com/\(tenant)")
    #expect(common.inTenant(tenant).tenant == tenant)
    #expect(!common.inTenant(tenant).isTenantless)
    #expect(common.inTenant(tenant) == (try Authority(parsing: "https://login.microsoftonline.com/\(tenant)")))
    let b2c = try Authority(parsing: "https://c.b2clogin.com/tfp/c.onmicrosoft.com/p")
    #expect(b2c.inTenant(tenant).url == "https://c.b2clogin.com/tfp/\(tenant)/p")
    let oidc = try Authority(parsing: "https://id.example/realm")
    #expect(oidc.inTenant(tenant) == oidc)
    for hostile in ["../evil", "a/b", "", "a?b", ".", "a b"] { #expect(common.inTenant(hostile) == common) }
  }

  @Test("only Microsoft's authorities ask for User.Read, and only audiences are without a tenant")
  func defaults() throws {
    #expect(Authority.microsoftCommon == (try Authority(parsing: "https://login.microsoftonline.com/common")))
    #expect(Authority.microsoftCommon.isTenantless)
    #expect(Authority.microsoftCommon.defaultScopes(for: "app") == ["User.Read"])
    #expect(try Authority(parsing: "https://id.example").defaultScopes(for: "app").isEmpty)
    let b2c = try Authority(parsing: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_signin")
    #expect(b2c.defaultScopes(for: "app") == ["app"])
    #expect(try !Authority(parsing: "https://id.example/common").isTenantless)
    #expect(try !Authority(parsing: "https://login.microsoftonline.com/contoso.com").isTenantless)
  }
}
