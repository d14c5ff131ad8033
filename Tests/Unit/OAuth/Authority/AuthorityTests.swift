@testable import MSAuthOAuth
import TestSupport
import Testing

@Suite("authorities")
struct AuthorityTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let given: String
    let kind: Authority.Kind?
    let expected: Authority.Kind
    let url: String
    let tenant: String?

    /// The canonical URL is the given one by default.
    init(
      _ given: String,
      as kind: Authority.Kind? = nil,
      _ expected: Authority.Kind,
      _ url: String? = nil,
      tenant: String? = nil
    ) {
      (self.given, self.kind, self.expected, self.url, self.tenant) = (given, kind, expected, url ?? given, tenant)
    }

    var metadata: String {
      url + ([.aad, .b2c, .ciam].contains(expected) ? "/v2.0" : "") + "/.well-known/openid-configuration"
    }
    var testDescription: String { "\(given) \(kind?.rawValue ?? "")" }
  }

  private static let (entra, contoso) = ("https://login.microsoftonline.com", "contoso.onmicrosoft.com")
  private static let (china, tenantID) = ("https://login.partner.microsoftonline.cn", ProtocolFixtures.tenantID)
  private static let (b2c, ciam) = ("https://contoso.b2clogin.com", "https://contoso.ciamlogin.com")

  static let cases = [
    Case("\(entra)/common", .aad, tenant: "common"),
    Case("HTTPS://Login.MicrosoftOnline.COM:443/T.example/v2.0/", .aad, "\(entra)/t.example", tenant: "t.example"),
    Case("https://login.microsoftonline.us/organizations", .aad, tenant: "organizations"),
    Case("\(china)/common/", .aad, "\(china)/common", tenant: "common"),
    Case("https://login.sovcloud-identity.fr/common", .aad, tenant: "common"),
    Case("http://127.0.0.1:8080/common", as: .aad, .aad, tenant: "common"),
    Case("\(b2c)/tfp/Contoso.onmicrosoft.com/B2C_1_S/extra", .b2c, "\(b2c)/tfp/\(contoso)/B2C_1_S", tenant: contoso),
    Case("\(b2c)/\(contoso)/b2c_1_susi", .b2c, tenant: contoso),
    Case("https://login.contoso.com/tfp/\(contoso)/b2c_1_susi", .b2c, tenant: contoso),
    Case(ciam, .ciam, "\(ciam)/\(contoso)", tenant: contoso),
    Case("\(ciam)/\(tenantID)/", .ciam, "\(ciam)/\(tenantID)", tenant: tenantID),
    Case("https://fs.contoso.com/ADFS/ls", .adfs, "https://fs.contoso.com/adfs"),
    Case("https://id.example.com/adfs/realm", .oidc),
    Case("https://accounts.example.com/", .oidc, "https://accounts.example.com"),
    Case("https://accounts.example.com:8443/realms/Main/", .oidc, "https://accounts.example.com:8443/realms/Main"),
    Case("http://[::1]:9000", .oidc), Case("\(entra).evil.example/common", .oidc), Case("\(ciam).evil.example", .oidc),
  ]

  @Test(
    "kind, tenant, metadata's URL and canonical URL, which is the same authority, follow from the URL",
    arguments: cases
  )
  func recognized(_ example: Case) throws {
    let authority = try Authority(example.given, kind: example.kind)
    #expect(authority.kind == example.expected && authority.tenant == example.tenant)
    #expect([authority.url, authority.metadataURL] == [example.url, example.metadata])
    #expect(try Authority(authority.url, kind: example.kind) == authority)
  }

  static let rejections: [(reason: String, urls: [String])] = [
    ("is empty", [""]), ("is longer than 2048 bytes", ["https://id.example/" + String(repeating: "a", count: 3000)]),
    (
      "doesn't start with https://",
      ["id.example", "login.microsoftonline.com/common", "ftp://id.example", "javascript:alert(1)"]
    ),
    (
      "is http to another machine; only https keeps",
      [
        "http://id.example", "http://login.microsoftonline.com/common", "http://127.0.0.1.evil.example/",
        "http://localhost.evil.example", "http://127.1/", "http://0127.0.0.1/", "http://192.168.0.1/",
      ]
    ),
    (
      "has no valid host",
      [
        "https://", "https:///common", "https://id..example", "https://-id.example", "https://id_.-example",
        "https://[::1", "https://[evil]",
      ]
    ),
    ("has a user part", ["https://user@login.microsoftonline.com/common", "https://user:pw@id.example"]),
    ("has a query", ["https://id.example?x=1"]), ("has a fragment", ["https://id.example/#f", "https://id.example#x"]),
    (
      "has no valid port",
      ["https://id.example:0", "https://id.example:65536", "https://id.example:", "https://id.example:44a"]
    ),
    (
      "has a character that a URL can't have",
      [
        "https://id.exa mple", "https://id.example/a b", "https://id.example/\u{7}", "https://id.example/\u{1B}",
        "https://id.example/\n", "https://idé.example", "https://id.example\\@evil",
      ]
    ),
    (
      "has a path with empty, dot or badly escaped segments",
      [
        "https://id.example/../x", "https://id.example/./x", "https://id.example/a//b", "https://id.example/%",
        "https://id.example/%2e%2e/x", "https://id.example/%2F", "https://id.example/%00",
      ]
    ),
    ("doesn't name a tenant: add /common", [entra]), ("names a tenant that is neither", ["\(entra)/a_b"]),
    ("doesn't name a user flow", [b2c, "\(b2c)/\(contoso)"]),
  ]

  @Test("an invalid authority is rejected, and the error names the reason", arguments: rejections)
  func rejected(reason: String, urls: [String]) throws {
    for url in urls {
      let error = try #require(throws: AuthenticationError.self, "\(url)") { try Authority(url) }
      #expect(error.message.hasPrefix("the authority URL \(reason)"), "\(url): \(error.message)")
      #expect(error.reason == "invalid_authority" && error.message == error.message.printable() && error.hint != nil)
    }
  }

  @Test(
    "plain http is allowed on this machine",
    arguments: ["127.0.0.1", "127.9.8.7", "localhost", "LOCALHOST", "[::1]"]
  )
  func loopback(_ host: String) throws {
    #expect(try Authority("http://\(host):8080").isPlainHTTP)
  }
}

@Suite("an authority's aliases, issuer and tenant")
struct AuthorityIdentityTests {
  @Test(
    "a cloud's hosts are its aliases, the authority's own first",
    arguments: [
      (
        "https://login.microsoftonline.com/common",
        ["login.microsoftonline.com", "login.windows.net", "login.microsoft.com", "sts.windows.net"]
      ),
      (
        "https://login.windows.net/common",
        ["login.windows.net", "login.microsoftonline.com", "login.microsoft.com", "sts.windows.net"]
      ),
      ("https://login.chinacloudapi.cn/common", ["login.chinacloudapi.cn", "login.partner.microsoftonline.cn"]),
      ("https://login.microsoftonline.us/common", ["login.microsoftonline.us", "login.usgovcloudapi.net"]),
      ("https://login.microsoftonline.de/common", ["login.microsoftonline.de"]),
      ("https://id.example", ["id.example"]),
      ("http://127.0.0.1:81", ["127.0.0.1:81"]),
    ]
  )
  func aliases(_ url: String, _ names: [String]) throws {
    #expect(try Authority(url).environmentAliases == names)
  }

  @Test("every host of a cloud belongs to it")
  func cloud() throws {
    let clouds: [(host: String, cloud: Authority.Cloud?)] = [
      ("sts.windows.net", .public), ("login.partner.microsoftonline.cn", .china),
      ("login.usgovcloudapi.net", .usGovernment), ("login.sovcloud-identity.fr", .france), ("id.example", nil),
    ]
    for (host, cloud) in clouds { #expect(try Authority("https://\(host)/common").cloud == cloud) }
  }

  @Test(
    "the exact path distinguishes issuers on a host; Microsoft has one issuer per host",
    arguments: [
      ("https://id.example", ""), ("https://id.example/", ""), ("https://id.example/Realms/staff/", "Realms/staff"),
      ("http://127.0.0.1:81/oidc", "oidc"), ("https://fs.example/ADFS", "adfs"),
      ("https://login.microsoftonline.com/common", nil), ("https://c.ciamlogin.com", nil),
      ("https://c.b2clogin.com/tfp/c.onmicrosoft.com/p", nil),
    ] as [(String, String?)]
  )
  func issuerPath(_ url: String, _ path: String?) throws {
    #expect(try Authority(url).issuerPath == path)
  }

  @Test("a configured host is a cloud of Entra")
  func knownHost() throws {
    let known = [try Authority("https://login.private.example/common", kind: .aad)]
    #expect(try Authority("https://Login.Private.example/t1", known: known).kind == .aad)
    #expect(try Authority("https://other.private.example/t1", known: known).kind == .oidc)
  }

  @Test("a tenant replaces only the audience")
  func inTenant() throws {
    let tenant = ProtocolFixtures.tenantID
    let common = Authority.microsoftCommon
    #expect(try common.inTenant(tenant.uppercased()).url == "https://login.microsoftonline.com/\(tenant)")
    #expect(try common.inTenant(tenant).tenant == tenant)
    #expect(try !common.inTenant(tenant).isTenantless)
    #expect(try common.inTenant(tenant) == (try Authority("https://login.microsoftonline.com/\(tenant)")))
    let b2c = try Authority("https://c.b2clogin.com/tfp/c.onmicrosoft.com/p")
    #expect(try b2c.inTenant(tenant).url == "https://c.b2clogin.com/tfp/\(tenant)/p")
  }

  @Test(
    "without tenants, or with an invalid one, there is no authority",
    arguments: [
      ("https://login.microsoftonline.com/common", ["../evil", "../..", "a/b", "", "a?b", ".", "a b", "a\n", "ä"]),
      ("https://id.example/realm", ["contoso.example", "realm"]), ("https://fs.example/adfs", ["adfs"]),
    ]
  )
  func notInTenant(_ url: String, _ tenants: [String]) throws {
    let authority = try Authority(url)
    for tenant in tenants {
      let error = try #require(throws: AuthenticationError.self) { try authority.inTenant(tenant) }
      #expect(error.reason == "invalid_tenant" && error.message == error.message.printable())
    }
  }

  @Test("only Microsoft's authorities request User.Read, and only audiences have no tenant")
  func defaults() throws {
    #expect(Authority.microsoftCommon == (try Authority("https://login.microsoftonline.com/common")))
    #expect(Authority.microsoftCommon.isTenantless)
    #expect(Authority.microsoftCommon.defaultScopes(for: "app") == ["User.Read"])
    #expect(try Authority("https://id.example").defaultScopes(for: "app").isEmpty)
    let b2c = try Authority("https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_signin")
    #expect(b2c.defaultScopes(for: "app") == ["app"])
    #expect(try !Authority("https://id.example/common").isTenantless)
    #expect(try !Authority("https://login.microsoftonline.com/contoso.com").isTenantless)
  }

  @Test("Microsoft Graph's hosts are recognized")
  func graph() {
    for host in [
      "graph.microsoft.com", "graph.microsoft.us", "dod-graph.microsoft.us", "microsoftgraph.chinacloudapi.cn",
    ] {
      #expect(Authority.isGraph("https://\(host)/.default") && Authority.isGraph("https://\(host)//.default"))
    }
    #expect(!Authority.isGraph("https://graph.microsoft.evil.example/x") && !Authority.isGraph("User.Read"))
  }
}
