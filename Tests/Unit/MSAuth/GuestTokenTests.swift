import MSAuthCache
import MSAuthCore
import Testing

@testable import MSAuth

@Suite("a token of a tenant where the account is a guest")
struct GuestTokenTests {
  @Test(
    "belongs to the tenant that was asked, also where the response has no ID token that says so",
    arguments: [("common", "home"), ("organizations", "home"), ("home", "home"), ("other", "other")]
  )
  func realm(tenant: String, realm: String) async throws {
    let ids = ["home": "11111111-1111-1111-1111-111111111111", "other": "22222222-2222-2222-2222-222222222222"]
    let authority = try Authority("https://login.microsoftonline.com/\(ids[tenant] ?? tenant)")
    let store = MemoryStore()
    let lookup = await TokenLookup(
      context: Context(
        configuration: ClientConfiguration(clientID: "c", environment: [:]),
        dependencies: .offline(store)
      ),
      authority: authority,
      account: Account(
        identifier: "uid.\(ids["home"] ?? "")",
        username: "ada@contoso.com",
        environment: "login.microsoftonline.com"
      )
    )
    let claims = lookup.knownClaims(in: try await store.load())
    #expect(authority.realm(tenantID: claims.tenantID) == ids[realm])
  }
}
