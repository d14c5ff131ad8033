import MSAuthCore
import MSAuthOAuth
import Testing

@Suite("kinds of authorities")
struct AuthorityKindTests {
  @Test(
    "clouds and audiences have Microsoft's addresses",
    arguments: [
      (.public, .workSchoolAndPersonal, "https://login.microsoftonline.com/common"),
      (.public, .workAndSchool, "https://login.microsoftonline.com/organizations"),
      (.public, .personal, "https://login.microsoftonline.com/consumers"),
      (.china, .workAndSchool, "https://login.chinacloudapi.cn/organizations"),
      (.usGovernment, .tenant("contoso.onmicrosoft.us"), "https://login.microsoftonline.us/contoso.onmicrosoft.us"),
      (.france, .workAndSchool, "https://login.sovcloud-identity.fr/organizations"),
      (.delos, .workAndSchool, "https://login.sovcloud-identity.de/organizations"),
      (.singapore, .workAndSchool, "https://login.sovcloud-identity.sg/organizations"),
    ] as [(Authority.Cloud, Authority.Audience, String)]
  )
  func microsoft(cloud: Authority.Cloud, audience: Authority.Audience, url: String) throws {
    let authority = try Authority.microsoft(audience, cloud: cloud)
    #expect(authority.url == url && authority.kind == .aad)
  }

  @Test("an invalid tenant is rejected", arguments: ["", "a/b", "a?b", "a b", "a#b", "user@host", "a\\b"])
  func tenants(tenant: String) {
    let error = #expect(throws: AuthenticationError.self) { try Authority.microsoft(.tenant(tenant)) }
    #expect(error?.code == .invalidConfiguration)
  }
}
