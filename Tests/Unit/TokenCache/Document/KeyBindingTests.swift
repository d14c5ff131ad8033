import MSAuthCore
import Testing

@testable import MSAuthCache

@Suite("bound tokens")
struct KeyBindingTests {
  static let key = BindingKeyEntry(keyID: "Thumb-1", issuer: "https://id.example", privateKey: Secret("PRIVATE"))
  static let other = BindingKeyEntry(keyID: "Thumb-2", issuer: "https://other.example", privateKey: Secret("OTHER"))

  static func bound(_ change: (inout TokenGrant) -> Void = { _ in }) -> TokenGrant {
    grant {
      $0.keyID = "Thumb-1"
      $0.accessToken.secret = Secret("BOUND")
      $0.refreshToken?.secret = Secret("BOUND-RT")
      change(&$0)
    }
  }

  static func cache(_ grants: TokenGrant...) -> TokenCacheDocument {
    var document = TokenCacheDocument()
    for grant in grants { document.add(grant) }
    document.keep(key, of: client)
    return document
  }

  private func boundToken(_ document: TokenCacheDocument, of account: String = home) -> AccessTokenEntry? {
    let query = CacheQuery(account: account, environments: microsoft, clientID: client, realms: ["tenant"])
    let scopes = ["user.read"]
    return document.accessToken(
      matching: query,
      scopes: scopes,
      validity: .seconds(300),
      now: 1_700_000_000,
      isBound: true
    )
  }

  @Test("a key is stored for its client and issuer")
  func kept() throws {
    var document = TokenCacheDocument()
    document.keep(Self.key, of: client)
    document.keep(Self.other, of: client)
    document = try TokenCacheDocument(parsing: document.serialized())
    #expect(document.bindingKeys(of: client, for: "https://id.example") == [Self.key])
    #expect(document.bindingKey("Thumb-2", of: client) == Self.other)
    #expect(document.bindingKeys(of: client, for: "https://ID.example").isEmpty)
    #expect(document.bindingKeys(of: "other", for: "https://id.example").isEmpty)
    #expect(document.bindingKey("Thumb-1", of: "other") == nil)
    #expect(!"\(Self.key)".contains("PRIVATE"))
  }

  @Test(
    "an invalid key is ignored",
    arguments: ["7", "[]", #"{"issuer": "https://id.example"}"#, #"{"private_key": "x"}"#]
  )
  func malformed(_ node: String) throws {
    let document = try TokenCacheDocument(#"{"msauth": {"clients": {"\#(client)": {"keys": {"Thumb-1": \#(node)}}}}}"#)
    #expect(document.bindingKey("Thumb-1", of: client) == nil)
    #expect(document.bindingKeys(of: client, for: "https://id.example").isEmpty)
  }

  @Test("bound tokens are found only for bound requests, and plain ones only for plain requests")
  func apart() {
    #expect(Self.cache(Self.bound()).token() == nil)
    #expect(boundToken(Self.cache(grant())) == nil)
    let both = Self.cache(grant(), Self.bound { $0.refreshToken = nil })
    #expect(both.token()?.secret == Secret("AT") && both.token()?.tokenType == "Bearer" && both.token()?.keyID == nil)
    let token = boundToken(both)
    #expect(token?.secret == Secret("BOUND") && token?.tokenType == "DPoP" && token?.keyID == "Thumb-1")
  }

  @Test("a bound token without its key isn't found")
  func missingKey() {
    var document = TokenCacheDocument.holding(Self.bound())
    #expect(boundToken(document) == nil)
    document.keep(Self.other, of: client)
    #expect(boundToken(document) == nil)
    document.keep(Self.key, of: client)
    #expect(boundToken(document) != nil)
  }

  @Test("another kind of bound token is ignored", arguments: ["pop", "ssh-cert", "Bearer"])
  func otherKinds(_ type: String) throws {
    var document = Self.cache(Self.bound())
    document.amend(.accessToken, with: ["token_type": .string(type)])
    #expect(boundToken(document) == nil && document.token() == nil)
  }

  @Test("the entry has the other MSAL libraries' fields for special tokens")
  func specialFields() throws {
    let document = Self.cache(Self.bound())
    let (key, entry) = try #require(document.entries(.accessToken).sorted.first)
    #expect(key.contains("-atext-") && key.hasSuffix("-thumb-1") && !key.contains("-accesstoken-"))
    #expect(entry.has("token_type", "DPoP") && entry.has("key_id", "Thumb-1") && entry.has("ext_cache_key", "Thumb-1"))
    #expect(entry.has("credential_type", "AccessToken") && entry.has("expires_on", "1700003600"))
  }

  @Test("a newer bound token replaces the older one, whatever its key; plain ones are kept")
  func replaced() {
    var document = Self.cache(grant(), Self.bound())
    document.keep(Self.other, of: client)
    let newer = Self.bound {
      ($0.accessToken.secret, $0.keyID, $0.cachedAt) = (Secret("NEWER"), "Thumb-2", 1_700_000_010)
    }
    document.add(newer)
    #expect(document.entries(.accessToken).count == 2)
    #expect(boundToken(document)?.secret == Secret("NEWER") && document.token()?.secret == Secret("AT"))
  }

  @Test("two concurrent first sign-ins keep their own keys")
  func concurrentSignIns() {
    let bob = Self.bound {
      ($0.account.homeAccountID, $0.accessToken.secret, $0.keyID) = ("bob", Secret("BOB"), "Thumb-2")
    }
    var document = Self.cache(Self.bound(), bob)
    document.keep(Self.other, of: client)
    #expect(boundToken(document)?.keyID == "Thumb-1" && boundToken(document, of: "bob")?.keyID == "Thumb-2")
    document.removeUnusedBindingKeys()
    #expect(boundToken(document)?.secret == Secret("BOUND") && boundToken(document, of: "bob")?.secret == Secret("BOB"))
  }

  @Test("a bound refresh token has its key's ID, and a plain one has none")
  func refreshTokens() {
    func keys(_ document: TokenCacheDocument) -> [String?] {
      document.refreshTokens(matching: .ada()).map(\.keyID)
    }
    #expect(keys(Self.cache(Self.bound())) == ["Thumb-1"])
    #expect(keys(Self.cache(Self.bound(), grant())) == [nil], "the plain sign-in replaced the bound one")
    #expect(keys(Self.cache(grant(), Self.bound())) == ["Thumb-1"])
  }

  @Test("a key is removed with the last token bound to it")
  func removed() {
    let second = Self.bound { $0.account.homeAccountID = "bob" }
    var document = Self.cache(Self.bound(), second)
    for (account, isKept) in [(home, true), ("bob", false)] {
      document.removeCredentials(matching: [CacheQuery.ada().with(account: account)])
      document.removeUnusedBindingKeys()
      #expect((document.bindingKey("Thumb-1", of: client) != nil) == isKept)
    }
    #expect(document.state.isEmpty)
  }

  @Test("wiping one account, or all, removes all clients' keys, and keeps their other state", arguments: [false, true])
  func wiped(all: Bool) {
    var document = Self.cache(Self.bound())
    document.keep(Self.other, of: "another client")
    document.markSignedOut(AccountKey(clientID: client, homeAccountID: "bob"), username: "Bob")
    if all {
      document.removeAllAccountsAndSessions()
    } else {
      document.removeAccounts(matching: [.ada()])
      document.removeUnusedBindingKeys()
    }
    #expect(document.bindingKey("Thumb-1", of: client) == nil)
    #expect(document.bindingKey("Thumb-2", of: "another client") == nil)
    #expect(document.isSignedOut(AccountKey(clientID: client, homeAccountID: "bob")))
  }

  @Test("a cache without keys isn't changed")
  func untouched() {
    var document = TokenCacheDocument.holding(grant())
    let before = document
    document.removeUnusedBindingKeys()
    #expect(document == before)
  }
}
