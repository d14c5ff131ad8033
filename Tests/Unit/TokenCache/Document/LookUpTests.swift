import MSAuthCore
import Testing

@testable import MSAuthCache

@Suite("finding entries")
struct LookUpTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var scopes = ["User.Read"]
    var realms = ["tenant"]
    var environments = microsoft
    var client = TokenCacheTests.client
    var validAfter: UnixTime = 1_700_000_300
    var now: UnixTime = 1_700_000_000
    var isFound: Bool
  }

  @Test(
    "an access token matches the same request in any spelling, and no other",
    arguments: [
      Case(testDescription: "the scope as written", isFound: true),
      Case(testDescription: "scopes in any case", scopes: ["user.READ", "OPENID"], isFound: true),
      Case(testDescription: "a scope that was not granted", scopes: ["User.Read", "Mail.Read"], isFound: false),
      Case(testDescription: "a part of a scope", scopes: ["User"], isFound: false),
      Case(testDescription: "a tenant in any case", realms: ["TENANT"], isFound: true),
      Case(testDescription: "one of several tenants", realms: ["organizations", "tenant"], isFound: true),
      Case(testDescription: "another tenant", realms: ["organizations"], isFound: false),
      Case(testDescription: "the environment in any case", environments: ["Login.MicrosoftOnline.com"], isFound: true),
      Case(testDescription: "another environment", environments: ["login.microsoftonline.us"], isFound: false),
      Case(testDescription: "the client's GUID in capitals", client: client.uppercased(), isFound: true),
      Case(testDescription: "another client", client: "other", isFound: false),
      Case(testDescription: "within its life", validAfter: 1_700_003_599, isFound: true),
      Case(testDescription: "at its end", validAfter: 1_700_003_600, isFound: false),
      Case(testDescription: "a minute before it was cached", now: 1_699_999_940, isFound: true),
      // The clock was ahead.
      Case(testDescription: "more than a minute before it was cached", now: 1_699_999_939, isFound: false),
    ]
  )
  func accessToken(_ look: Case) {
    let found = TokenCacheDocument.holding(grant()).token(
      look.scopes,
      realms: look.realms,
      environments: look.environments,
      client: look.client,
      validAfter: look.validAfter,
      now: look.now
    )
    #expect((found?.secret.revealed == "AT") == look.isFound)
  }

  @Test(
    "a token is valid while the buffer, or half its lifetime if shorter, remains",
    arguments: [
      (3600, 3299, true), (3600, 3300, false), (300, 149, true), (300, 150, false), (600, 299, true), (600, 300, false),
      (1, 0, true), (1, 1, false), (0, 0, false), (-5, 0, false),
    ] as [(Int64, Int64, Bool)]
  )
  func halfLife(lifetime: Int64, age: Int64, isFound: Bool) {
    let stored: UnixTime = 1_700_000_000
    let document = TokenCacheDocument.holding(grant { $0.accessToken.expiresOn = stored + lifetime })
    func find(_ validity: RequiredValidity) -> AccessTokenEntry? {
      document.accessToken(matching: .ada(), scopes: [], validity: validity, now: stored + age)
    }
    #expect((find(.secondsOrHalfLife(300)) != nil) == isFound)
    #expect((find(.seconds(300)) != nil) == (lifetime - age > 300))
  }

  @Test("a token without a storage time must have the full buffer left")
  func unknownAge() {
    var document = TokenCacheDocument.holding(grant())
    document.amend(.accessToken, with: ["cached_at": .null])
    for (now, isFound) in [(1_700_003_300, false), (1_700_003_299, true)] as [(UnixTime, Bool)] {
      let found = document.accessToken(matching: .ada(), scopes: [], validity: .secondsOrHalfLife(300), now: now)
      #expect((found != nil) == isFound)
    }
  }

  @Test("a client ID that isn't a GUID is case-sensitive")
  func opaqueClient() {
    let document = TokenCacheDocument.holding(grant { $0.clientID = "Desktop" })
    #expect(document.token(client: "Desktop") != nil)
    #expect(document.token(client: "desktop") == nil)
  }

  @Test("an entry that .NET stored under an environment's alias is found")
  func alias() {
    let document = TokenCacheDocument.holding(grant { $0.account.environment = "login.windows.net" })
    #expect(document.token()?.secret == Secret("AT"))
    #expect(document.refreshTokens() == ["RT"])
    #expect(document.idToken() == "h.p.s")
    #expect(document.accounts(matching: .microsoft).map(\.username) == ["Ada@Contoso.com"])
  }

  @Test("of two tokens, the most recently cached one is used, even if the other one lives longer")
  func newest() {
    let document = TokenCacheDocument.holding(
      grant { $0.accessToken.expiresOn += 1800 },
      grant {
        $0.realm = "organizations"
        $0.accessToken.secret = Secret("newer")
        $0.cachedAt += 60
      }
    )
    #expect(document.token(realms: ["tenant", "organizations"])?.secret.revealed == "newer")
  }

  @Test(
    "a bound, special or different user's token isn't used as a plain one",
    arguments: [
      ("token_type", "pop"), ("token_type", "ssh-cert"), ("ext_cache_key", "x"), ("user_assertion_hash", "x"),
      ("userAssertionHash", "x"),
    ]
  )
  func bound(_ field: String, _ value: String) throws {
    var document = TokenCacheDocument.holding(grant())
    document.amend(.accessToken, with: [field: .string(value)])
    #expect(document.token() == nil)
    document.add(grant { $0.accessToken.scopes = ["User.Read"] })
    #expect(document.entries(.accessToken).count == 2, "the other program's entry is kept")
  }

  @Test(
    "times are parsed as strings and numbers; an invalid one makes the token unusable, and is kept",
    arguments: [
      (["1700003600", "\"1700003600\"", "1700003600.0", "1.7000036e9"], 1_700_003_600),
      (["\"\"", "\"soon\"", "null", "-1", "9223372036854775807", "1e400", "253402300800", "{}", "true"], nil),
    ] as [([String], UnixTime?)]
  )
  func times(_ times: [String], _ expiry: UnixTime?) throws {
    for time in times {
      let text = TokenCacheDocument.holding(grant()).text.replacing("\"1700003600\"", with: time)
      let document = try TokenCacheDocument(text)
      #expect(document.token()?.expiresOn == expiry, "\(time)")
      #expect(document.text.contains("\"expires_on\": \(time)"))
    }
  }

  @Test("a client's account has a refresh token or an access token of it")
  func signedIn() {
    let document = TokenCacheDocument.holding(
      grant(),
      grant { ($0.clientID, $0.refreshToken) = ("second", nil) }
    )
    for id in [client, "second", "third"] {
      let accounts = document.signedInAccounts(matching: CacheQuery(environments: microsoft, clientID: id))
      #expect(accounts.map(\.homeAccountID) == (id == "third" ? [] : [home]))
    }
  }

  @Test("of accounts whose IDs only look the same, the signed-in one is listed")
  func signedInLookalike() {
    let document = TokenCacheDocument.holding(
      grant(),
      grant { ($0.account.homeAccountID, $0.refreshToken) = ("é", nil) },
      grant { ($0.account.homeAccountID, $0.clientID) = ("e\u{301}", "other") }
    )
    let listed = document.signedInAccounts(matching: CacheQuery(environments: microsoft, clientID: client))
    #expect(listed.map { Array($0.homeAccountID.utf8) } == [home, "é"].map { Array($0.utf8) })
  }

  @Test("an account's name ignores case, however stored")
  func named() throws {
    let text = TokenCacheDocument.holding(grant()).text
    for spelling in ["Ada@Contoso.com", "ADA@contoso.com", #"\u0041da@Contoso.com"#, #"Ada@Contoso.\u0063om"#] {
      let document = try TokenCacheDocument(text.replacing("Ada@Contoso.com", with: spelling))
      for name in ["ada@contoso.com", "ADA@CONTOSO.COM", "UID.utid"] {
        #expect(document.accounts(matching: .microsoft, named: name).count == 1, "\(spelling), \(name)")
      }
      for name in ["da@contoso.com", "ada@contoso.co", "ada@contoso.comm", "", "uid"] {
        #expect(document.accounts(matching: .microsoft, named: name).isEmpty, "\(spelling), \(name)")
      }
    }
    for spelling in ["Zoë", #"Zo\u00eb"#, "ZOE\u{308}"] {
      let document = try TokenCacheDocument(text.replacing("Ada@Contoso.com", with: spelling))
      #expect(document.accounts(matching: .microsoft, named: "zOË").count == 1)
      #expect(document.accounts(matching: .microsoft, named: "zoe").isEmpty)
    }
  }

  @Test("the first requested tenant's ID token is used")
  func idTokenOrder() {
    let document = TokenCacheDocument.holding(
      grant(),
      grant { ($0.realm, $0.idToken) = ("guest", Secret("g.g.g")) }
    )
    #expect(document.idToken(realms: ["guest", "tenant"]) == "g.g.g")
    #expect(document.idToken(realms: ["Tenant", "guest"]) == "h.p.s")
    #expect(document.idToken(realms: ["none"]) == nil)
  }
}
