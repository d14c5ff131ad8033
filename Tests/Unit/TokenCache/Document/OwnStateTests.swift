import Core
import Testing

@testable import TokenCache

@Suite("Our own node")
struct OwnStateTests {
  @Test("the current account is remembered for each client")
  func principal() throws {
    let ada = Principal(homeAccountID: home, username: "ada@contoso.com", environment: "login.windows.net")
    var document = TokenCacheDocument()
    document.setPrincipal(ada, for: client)
    let read = try TokenCacheDocument(parsing: document.serialized())
    #expect(read.principal(for: client) == ada)
    #expect(read.principal(for: "other") == nil)
    document.setPrincipal(nil, for: client)
    #expect(document == TokenCacheDocument(), "nothing is left when there is nothing to remember")
  }

  @Test("a signed-out mark is one client's, stands once, and can be taken away")
  func signedOut() {
    var document = TokenCacheDocument()
    document.markSignedOut(homeAccountID: home, username: "ada@contoso.com", clientID: client)
    let once = document
    document.markSignedOut(homeAccountID: home, username: "ada@contoso.com", clientID: client)
    #expect(document == once)
    #expect(document.isSignedOut(homeAccountID: home, clientID: client))
    #expect(!document.isSignedOut(homeAccountID: home, clientID: "other"))
    #expect(!document.isSignedOut(homeAccountID: "bob", clientID: client))
    document.clearSignedOut(homeAccountID: home, clientID: client)
    #expect(document == TokenCacheDocument())
  }

  @Test("what a later version keeps in the node survives")
  func later() throws {
    var document = try TokenCacheDocument(#"{"msauth": {"later": 1, "clients": {"c": {"x": "y"}, "d": 7}}}"#)
    document.markSignedOut(homeAccountID: home, username: "ada@contoso.com", clientID: "c")
    document.clearSignedOut(homeAccountID: home, clientID: "c")
    #expect(document.own["later"] == 1)
    #expect(document.own["clients"]?["c"]?.has("x", "y") == true)
    #expect(document.own["clients"]?["d"] == 7)
  }

  @Test("a node of another shape has no current account", arguments: ["7", "[]", #"{"clients": []}"#])
  func malformed(_ node: String) throws {
    var document = try TokenCacheDocument("{\"msauth\": \(node)}")
    #expect(document.principal(for: client) == nil)
    #expect(!document.isSignedOut(homeAccountID: home, clientID: client))
    document.markSignedOut(homeAccountID: home, username: "ada@contoso.com", clientID: client)
    #expect(document.isSignedOut(homeAccountID: home, clientID: client))
  }
}
