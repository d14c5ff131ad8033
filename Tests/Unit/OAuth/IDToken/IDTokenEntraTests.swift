import MSAuthCore
import MSAuthJOSE
import MSAuthOAuth
import Testing

@Suite("Entra's ID tokens with a tenant template")
struct IDTokenEntraTests {
  static let template = "https://login.microsoftonline.com/{tenantid}/v2.0"
  static let tenant = "11111111-2222-3333-4444-555555555555"
  static let personal = "9188040d-6c67-4c5b-b112-36a304b66dad"

  private func refusal(
    issuer: String,
    tenant: JSONValue?,
    keyIssuer: String? = nil,
    rule: IssuerRule = .tenantTemplate(template)
  ) throws -> TokenRefusal.Rule? {
    let signer = try SampleSignIn.signer()
    var claims = SampleSignIn.claims()
    claims["iss"] = .string(issuer)
    claims["tid"] = tenant
    let keys = try SampleSignIn.keySet(signer.jwk(keyIssuer.map { ["issuer": .string($0)] } ?? [:]))
    return SampleSignIn.refusal(
      of: try signer.token(claims),
      keys: keys,
      rules: SampleSignIn.rules { $0.issuer = rule }
    )
  }

  private func issuer(of tenant: String) -> String { "https://login.microsoftonline.com/\(tenant)/v2.0" }

  @Test("the token's tenant replaces the placeholder", arguments: [tenant, personal, tenant.uppercased()])
  func resolved(tenant: String) throws {
    #expect(try refusal(issuer: issuer(of: tenant), tenant: .string(tenant)) == nil)
  }

  @Test("an issuer for a different tenant is rejected")
  func otherTenant() throws {
    #expect(try refusal(issuer: issuer(of: Self.personal), tenant: .string(Self.tenant)) == .issuerMismatch)
    #expect(try refusal(issuer: Self.template, tenant: .string(Self.tenant)) == .issuerMismatch)
    #expect(
      try refusal(issuer: "https://evil.example/\(Self.tenant)/v2.0", tenant: .string(Self.tenant)) == .issuerMismatch
    )
  }

  @Test("a token without a tenant is rejected")
  func noTenant() throws {
    #expect(try refusal(issuer: issuer(of: Self.tenant), tenant: nil) == .claimMissing)
  }

  @Test(
    "a tenant that isn't a GUID is rejected",
    arguments: [
      "", "{tenantid}", "common", "../x", "11111111-2222-3333-4444-55555555555", "11111111-2222-3333-4444-55555555555g",
      "1111111122223333444455555555555", "-----", "11111111-2222-3333-4444-5555555555555",
    ]
  )
  func oddTenant(tenant: String) throws {
    #expect(try refusal(issuer: issuer(of: tenant), tenant: .string(tenant)) == .claimMalformed)
  }

  @Test("a placeholder is replaced only for Entra")
  func exact() throws {
    let exact = IssuerRule.exact(Self.template)
    #expect(try refusal(issuer: issuer(of: Self.tenant), tenant: .string(Self.tenant), rule: exact) == .issuerMismatch)
    let tenant = IssuerRule.exact(issuer(of: Self.tenant))
    #expect(try refusal(issuer: issuer(of: Self.tenant), tenant: .string(Self.tenant), rule: tenant) == nil)
  }

  @Test("a key listed once per issuer is valid for all of them")
  func keyOfSeveralIssuers() throws {
    let signer = try SampleSignIn.signer()
    var claims = SampleSignIn.claims()
    claims["iss"] = .string(issuer(of: Self.tenant))
    claims["tid"] = .string(Self.tenant)
    let other = signer.jwk(["issuer": .string(issuer(of: Self.personal))])
    let own = signer.jwk(["issuer": .string(issuer(of: Self.tenant))])
    let rules = SampleSignIn.rules { $0.issuer = .tenantTemplate(Self.template) }
    func refusal(_ keys: JSONValue...) throws -> TokenRefusal.Rule? {
      SampleSignIn.refusal(
        of: try signer.token(claims),
        keys: try JSONWebKeySet(parsing: JSONValue.object(["keys": .array(keys)]).serialized()),
        rules: rules
      )
    }
    #expect(try refusal(other, own) == nil)
    #expect(try refusal(own, other) == nil)
    #expect(try refusal(other, other) == .keyIssuerMismatch)
  }

  @Test("a key is valid only for its issuer")
  func keyIssuer() throws {
    let here = issuer(of: Self.tenant)
    #expect(try refusal(issuer: here, tenant: .string(Self.tenant), keyIssuer: Self.template) == nil)
    #expect(try refusal(issuer: here, tenant: .string(Self.tenant), keyIssuer: here) == nil)
    #expect(
      try refusal(issuer: here, tenant: .string(Self.tenant), keyIssuer: issuer(of: Self.personal))
        == .keyIssuerMismatch
    )
    // Also for an authority with a tenant; other providers' member is ignored.
    let exact = IssuerRule.exact(here)
    #expect(try refusal(issuer: here, tenant: .string(Self.tenant), keyIssuer: Self.template, rule: exact) == nil)
    #expect(
      try refusal(issuer: here, tenant: .string(Self.tenant), keyIssuer: issuer(of: Self.personal), rule: exact)
        == .keyIssuerMismatch
    )
    let plain = IssuerRule.exact("https://id.example/realm")
    #expect(try refusal(issuer: "https://id.example/realm", tenant: nil, keyIssuer: here, rule: plain) == nil)
  }
}
