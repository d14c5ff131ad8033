import MSAuthCore
import Testing

@Suite("Nearest name")
struct NearestTests {
  private static let names = ["accounts", "login", "logout", "status", "switch", "client_id", "redirect_uri", "tenant"]

  @Test(
    "a slip of the finger finds the name that was meant",
    arguments: [
      ("lgin", "login"), ("logn", "login"), ("lgoin", "login"), ("LOGIN", "login"), ("loguot", "logout"),
      ("stauts", "status"), ("account", "accounts"), ("clientid", "client_id"), ("client-id", "client_id"),
      ("redirect_url", "redirect_uri"), ("Tenant", "tenant"),
    ]
  )
  func found(_ written: String, _ meant: String) {
    #expect(nearest(to: written, in: Self.names) == meant)
  }

  @Test(
    "what is like no name finds none",
    arguments: ["", "x", "frobnicate", "tree", String(repeating: "login", count: 100)]
  )
  func none(_ written: String) {
    #expect(nearest(to: written, in: Self.names) == nil)
  }

  @Test("of several the nearest is found, of equals the first")
  func order() {
    #expect(nearest(to: "scope", in: ["store", "scopes"]) == "scopes")
    #expect(nearest(to: "aab", in: ["aaa", "bab"]) == "aaa")
    #expect(nearest(2, to: "scope", in: ["store", "tenant", "scopes", "scopp"]) == ["scopes", "scopp"])
    #expect(nearest(9, to: "scope", in: ["tenant"]).isEmpty)
  }
}
