import MSAuthCore
import Testing

@testable import MSAuthCache

@Suite("msauth's own node")
struct OwnStateTests {
  private static let authority = "login.windows.net/common"

  private static func key(of client: String = client, at issuer: Issuer? = nil) -> AccountKey {
    AccountKey(issuer: issuer, clientID: client, homeAccountID: home)
  }

  @Test("the current account is stored per client and authority")
  func principal() throws {
    let ada = Principal(homeAccountID: home, username: "ada@contoso.com", environment: "login.windows.net", since: 7)
    var bob = Principal(homeAccountID: "sub", username: "bob", environment: "id.example", issuerPath: "a", since: 8)
    var document = TokenCacheDocument()
    document.setPrincipal(ada, for: client, at: Self.authority)
    document.setPrincipal(bob, for: client, at: "id.example/a")
    let read = try TokenCacheDocument(parsing: document.serialized())
    #expect(read.principal(for: client, at: Self.authority) == ada)
    #expect(read.principal(for: client, at: "id.example/a") == bob)
    for other in ["id.example/A", "id.example", "login.windows.net/organizations", ""] {
      #expect(read.principal(for: client, at: other) == nil)
    }
    #expect(read.principal(for: "other", at: Self.authority) == nil)
    #expect(read.principals(of: client).map(\.principal) == [bob, ada], "newest first")
    bob.since = 6
    document.setPrincipal(bob, for: client, at: "id.example/a")
    #expect(document.principals(of: client).map(\.principal) == [ada, bob])
    document.setPrincipal(nil, for: client, at: Self.authority)
    document.setPrincipal(nil, for: client, at: "id.example/a")
    #expect(document == TokenCacheDocument(), "an empty node is removed")
  }

  @Test("rejected refresh tokens are stored per client and account until a sign-in or a refresh")
  func rejected() throws {
    var document = TokenCacheDocument()
    document.setRejectedHashes(["x", "y"], of: Self.key())
    let read = try TokenCacheDocument(parsing: document.serialized())
    #expect(read.rejectedHashes(of: Self.key()) == ["x", "y"])
    #expect(read.rejectedHashes(of: Self.key(of: "other")).isEmpty)
    #expect(read.rejectedHashes(of: Self.key(at: IssuerTests.staff)).isEmpty)
    var signedIn = document
    signedIn.recordSignIn(Self.key())
    document.setRejectedHashes([], of: Self.key())
    #expect(signedIn == TokenCacheDocument() && document == TokenCacheDocument())
  }

  @Test("a signed-out mark belongs to one client, is unique, and is removed by a sign-in")
  func signedOut() {
    var document = TokenCacheDocument()
    document.markSignedOut(Self.key(), username: "ada@contoso.com")
    let once = document
    document.markSignedOut(Self.key(), username: "ada@contoso.com")
    #expect(document == once)
    #expect(document.isSignedOut(Self.key()))
    #expect(!document.isSignedOut(Self.key(of: "other")))
    #expect(!document.isSignedOut(AccountKey(clientID: client, homeAccountID: "bob")))
    document.recordSignIn(Self.key())
    #expect(document == TokenCacheDocument())
  }

  @Test("a later version's members are kept")
  func later() throws {
    var document = try TokenCacheDocument(#"{"msauth": {"later": 1, "clients": {"c": {"x": "y"}, "d": 7}}}"#)
    document.markSignedOut(Self.key(of: "c"), username: "ada@contoso.com")
    document.recordSignIn(Self.key(of: "c"))
    #expect(document.state["later"] == 1)
    #expect(document.state["clients"]?["c"]?.has("x", "y") == true)
    #expect(document.state["clients"]?["d"] == 7)
  }

  /// The node, a client's part, or a value in it.
  static let shapes = ["null", "7", "[]", "\"\"", "{}"].flatMap { value in
    [
      value, "{\"clients\": \(value), \"throttled\": \(value)}",
      "{\"clients\": {\"\(client)\": \(value)}, \"throttled\": {\"key\": \(value)}}",
      """
      {"clients": {"\(client)": {"principals": \(value), "signed_out": \(value), "refused": \(value)}},
      "throttled": {"key": {"until": \(value), "noted": \(value), "failure": \(value)}}}
      """,
      "{\"clients\": {\"\(client)\": {\"principals\": {\"\(authority)\": \(value)}, \"refused\": {\"\(home)\": \(value)}}}}",
    ]
  }

  @Test("a node with another shape has no state, and takes new state", arguments: shapes)
  func malformed(_ node: String) throws {
    var document = try TokenCacheDocument("{\"msauth\": \(node)}")
    #expect(document.principal(for: client, at: Self.authority) == nil)
    #expect(document.rejectedHashes(of: Self.key()).isEmpty)
    #expect(!document.isSignedOut(Self.key()))
    #expect(document.throttled("key", now: 5, maximumDuration: 60) == nil)
    document.markSignedOut(Self.key(), username: "ada@contoso.com")
    #expect(document.isSignedOut(Self.key()))
    document.throttle("key", "failure", until: 9, now: 5)
    #expect(document.throttled("key", now: 5, maximumDuration: 60)?.until == 9)
  }
}
