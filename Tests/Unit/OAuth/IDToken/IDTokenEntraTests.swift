import MSAuthCore
import MSAuthJOSE
@testable import MSAuthOAuth
import Testing

@Suite("Entra's ID tokens with a tenant template")
struct IDTokenEntraTests {
  static let template = "https://login.microsoftonline.com/{tenantid}/v2.0"
  static let tenant = "11111111-2222-3333-4444-555555555555"
  static let personal = "9188040d-6c67-4c5b-b112-36a304b66dad"

  private func rejection(
    issuer: String,
    tenant: JSONValue?,
    keyIssuers: [String?] = [nil],
    rule: IssuerRule = .tenantTemplate(template)
  ) throws -> TokenRejection.Rule? {
    let signer = try SampleSignIn.signer()
    var claims = SampleSignIn.claims()
    claims["iss"] = .string(issuer)
    claims["tid"] = tenant
    let keys = keyIssuers.map { signer.jwk($0.map { ["issuer": .string($0)] } ?? [:]) }
    return SampleSignIn.rejection(
      of: try signer.token(claims),
      keys: try SampleSignIn.keySet(keys),
      rules: SampleSignIn.rules { $0.issuer = rule }
    )
  }

  private func issuer(of tenant: String) -> String { "https://login.microsoftonline.com/\(tenant)/v2.0" }

  @Test("the token's tenant replaces the placeholder", arguments: [tenant, personal, tenant.uppercased()])
  func resolved(tenant: String) throws {
    #expect(try rejection(issuer: issuer(of: tenant), tenant: .string(tenant)) == nil)
  }

  @Test("an issuer for a different tenant is rejected")
  func otherTenant() throws {
    for issuer in [issuer(of: Self.personal), Self.template, "https://evil.example/\(Self.tenant)/v2.0"] {
      #expect(try rejection(issuer: issuer, tenant: .string(Self.tenant)) == .issuerMismatch)
    }
  }

  @Test("a token without a tenant is rejected")
  func noTenant() throws {
    for tenant in [nil, .null, "", 5, [.string(Self.tenant)], .invalidString([0xD800])] as [JSONValue?] {
      #expect(try rejection(issuer: issuer(of: Self.tenant), tenant: tenant) == .claimMissing)
    }
  }

  @Test(
    "a tenant that isn't a GUID is rejected",
    arguments: [
      "{tenantid}", "common", "../x", "a/b", "a b", "evil.example", "11111111-2222-3333-4444-55555555555",
      "11111111-2222-3333-4444-55555555555g",
      "1111111122223333444455555555555", "-----", "11111111-2222-3333-4444-5555555555555",
    ]
  )
  func oddTenant(tenant: String) throws {
    #expect(try rejection(issuer: issuer(of: tenant), tenant: .string(tenant)) == .claimMalformed)
  }

  @Test("a placeholder is replaced only for Entra")
  func exact() throws {
    let exact = IssuerRule.exact(Self.template)
    let issuer = issuer(of: Self.tenant)
    #expect(try rejection(issuer: issuer, tenant: .string(Self.tenant), rule: exact) == .issuerMismatch)
    #expect(try rejection(issuer: issuer, tenant: .string(Self.tenant), rule: .exact(issuer)) == nil)
  }

  @Test("a key is valid only for its issuer, and one that is listed once per issuer for all of them")
  func keyIssuer() throws {
    let (here, other) = (issuer(of: Self.tenant), issuer(of: Self.personal))
    let cases: [(keyIssuers: [String], expected: TokenRejection.Rule?)] = [
      ([Self.template], nil), ([here], nil), ([other, here], nil), ([here, other], nil),
      ([other], .keyIssuerMismatch), ([other, other], .keyIssuerMismatch),
    ]
    // Also for an authority with a tenant; other providers' member is ignored.
    for rule in [IssuerRule.tenantTemplate(Self.template), .exact(here)] {
      for (keyIssuers, expected) in cases {
        let rejection = try rejection(issuer: here, tenant: .string(Self.tenant), keyIssuers: keyIssuers, rule: rule)
        #expect(rejection == expected, "\(rule) \(keyIssuers)")
      }
    }
    let plain = "https://id.example/realm"
    #expect(try rejection(issuer: plain, tenant: nil, keyIssuers: [here], rule: .exact(plain)) == nil)
  }
}
