import MSAuthCore
import Testing

@testable import MSAuthCache

@Suite("replacing and removing entries")
struct ReplacingTests {
  @Test("a new token keeps foreign fields, but none that describe the old token")
  func staleFields() throws {
    var document = TokenCacheDocument.holding(grant())
    for kind in [TokenCacheDocument.Kind.accessToken, .refreshToken, .idToken] {
      document.amend(kind, with: ["ext": "x", "kid": "x", "family_id": "", "com.example.note": "kept"])
    }
    let again = grant {
      $0.accessToken.refreshOn = nil
      $0.cachedAt += 60
    }
    document.add(again)
    for kind in [TokenCacheDocument.Kind.accessToken, .refreshToken, .idToken] {
      let entry = try #require(document.entries(kind).values.first)
      #expect(entry["kid"] == nil && entry["ext"] == nil && entry["refresh_on"] == nil && entry["family_id"] == nil)
      #expect(entry.has("com.example.note", "kept"))
      #expect(entry.nonEmpty("secret") != nil)
    }
  }

  @Test("an account that signs in again keeps foreign fields")
  func accountFields() throws {
    var document = TokenCacheDocument.holding(grant { $0.account.name = "Ada" })
    document.amend(.account, with: ["wam_account_ids": ["x": "y"]])
    document.add(grant())
    let entry = try #require(document.entries(.account).values.first)
    #expect(entry["wam_account_ids"]?.has("x", "y") == true)
    #expect(entry.has("name", "Ada"))
  }

  @Test("a new refresh token replaces all others of the account, under every key and alias")
  func siblings() throws {
    var document = TokenCacheDocument()
    for (key, environment) in [("python--user.read", microsoft[0]), ("net--", microsoft[1])] {
      let fields: JSONValue.Object = [
        "home_account_id": .string(home), "environment": .string(environment), "client_id": .string(client),
        "secret": "old", "credential_type": "RefreshToken",
      ]
      document.put(fields, as: key, in: .refreshToken)
    }
    #expect(document.refreshTokens().count == 2)
    document.add(grant())
    #expect(document.refreshTokens() == ["RT"])
    #expect(document.entries(.refreshToken).count == 1)
  }

  @Test("tokens of two resources are stored side by side")
  func twoResources() {
    let document = TokenCacheDocument.holding(
      grant(),
      grant {
        $0.accessToken.scopes = ["openid", "profile", "api://orders/Read"]
        $0.accessToken.secret = Secret("AT2")
      }
    )
    #expect(document.entries(.accessToken).count == 2)
    let again = grant { $0.accessToken.secret = Secret("AT3") }
    #expect(TokenCacheDocument.holding(grant(), again).entries(.accessToken).count == 1)
  }

  @Test("a response without a refresh token keeps the old one")
  func noRotation() {
    let document = TokenCacheDocument.holding(grant(), grant { $0.refreshToken = nil })
    #expect(document.refreshTokens() == ["RT"])
  }

  @Test("a family refresh token is used only by members, and isn't replaced by a plain one")
  func family() {
    var document = TokenCacheDocument.holding(
      grant { $0.refreshToken?.familyID = "1" },
      grant {
        $0.clientID = "member"
        $0.refreshToken?.familyID = "1"
        $0.refreshToken?.secret = Secret("RT2")
        $0.cachedAt += 1
      }
    )
    #expect(document.refreshTokens() == ["RT2"], "one per family")
    #expect(document.refreshTokens(of: "member") == ["RT2"])
    #expect(document.refreshTokens(of: "stranger") == [])
    let plain = grant {
      $0.clientID = "member"
      $0.refreshToken?.secret = Secret("plain")
      $0.cachedAt += 2
    }
    document.add(plain)
    #expect(document.refreshTokens() == ["RT2"])
    #expect(document.refreshTokens(of: "member").first == "plain")
  }

  @Test("the newest of several ID tokens is kept")
  func idTokens() {
    let document = TokenCacheDocument.holding(
      grant { $0.account.environment = "login.windows.net" },
      grant { $0.idToken = Secret("n.e.w") }
    )
    #expect(document.idToken() == "n.e.w")
    #expect(document.entries(.idToken).count == 1)
  }

  @Test("accounts whose IDs differ only in case don't overwrite each other")
  func keyClash() {
    let document = TokenCacheDocument.holding(grant { $0.account.homeAccountID = "UID.utid" }, grant())
    #expect(document.entries(.refreshToken).count == 2)
    #expect(document.accounts(matching: .microsoft).map(\.homeAccountID).sorted() == ["UID.utid", "uid.utid"])
    #expect(document.refreshTokens() == ["RT"])
  }

  @Test("signing out of one client keeps the account for others; the last one removes it")
  func removeClient() {
    var document = TokenCacheDocument.holding(
      grant { $0.account.environment = "login.windows.net" },
      grant { $0.clientID = "x" }
    )
    document.removeCredentials(matching: [.ada(of: client.lowercased())])
    #expect(document.refreshTokens() == [] && document.token() == nil && document.idToken() == nil)
    #expect(document.refreshTokens(of: "x") == ["RT"])
    #expect(!document.accounts(matching: .microsoft).isEmpty)
    document.removeCredentials(matching: [.ada(of: "x")])
    #expect(document.accounts(matching: .microsoft).isEmpty)
    #expect(document.entries(.appMetadata).count == 2, "app metadata isn't a credential")
  }

  @Test("a family refresh token is kept while another member has the account")
  func removeFamilyMember() throws {
    var document = TokenCacheDocument.holding(
      grant {
        $0.clientID = "member"
        $0.refreshToken?.familyID = "1"
      },
      grant { $0.refreshToken?.familyID = "1" },
      grant { $0.clientID = "stranger" }
    )
    document.amend(.refreshToken, with: ["com.example.note": "kept"])
    document.removeCredentials(matching: [.ada()])
    #expect(document.token() == nil && document.idToken() == nil)
    #expect(document.refreshTokens(of: "member") == ["RT"])
    let token = try #require(document.entries(.refreshToken)["uid.utid-login.microsoftonline.com-refreshtoken-1--"])
    #expect(token.string("client_id") == "member" && token.string("com.example.note") == "kept")
    #expect(token.time("last_modification_time") != nil)

    document.removeCredentials(matching: [.ada(of: "member")])
    #expect(document.refreshTokens(of: "member") == [] && document.refreshTokens() == [])
    #expect(document.refreshTokens(of: "stranger") == ["RT"])
  }

  @Test("a refresh token is never inherited across users, environments, non-family clients, or after a sign-out")
  func noInheritance() {
    let changes: [@Sendable (inout TokenGrant) -> Void] = [
      { $0.account.homeAccountID = "bob.utid" }, { $0.account.environment = "login.example.org" },
      { $0.refreshToken?.familyID = nil },
      { $0.refreshToken?.familyID = "2" }, { $0.account.username = "signed out" },
    ]
    for change in changes {
      let other = grant {
        $0.clientID = "member"
        $0.refreshToken?.familyID = "1"
        change(&$0)
      }
      var document = TokenCacheDocument.holding(other, aliases: [])
      document.add(grant { $0.refreshToken?.familyID = "1" })
      if other.account.username == "signed out" {
        document.markSignedOut(AccountKey(clientID: "member", homeAccountID: home), username: "")
      }
      document.removeCredentials(matching: [.ada()])
      let left = document.ordered(.refreshToken).filter { $0.matches(CacheQuery.ada().forEveryClient) }
      #expect(left.allSatisfy { $0.matches(client: "member") && $0.nonEmpty("family_id") != "1" }, "\(other)")
    }
  }

  @Test("wiping an account removes every client's tokens of it only")
  func wipe() {
    var document = TokenCacheDocument.holding(
      grant(),
      grant { $0.clientID = "x" },
      grant { $0.account.homeAccountID = "bob.utid" },
      grant { $0.account.environment = "login.example.org" }
    )
    document.removeAccounts(matching: [.ada()])
    #expect(document.refreshTokens() == [] && document.refreshTokens(of: "x") == [])
    #expect(document.accounts(matching: .microsoft).map(\.homeAccountID) == ["bob.utid"])
    #expect(document.accounts(matching: CacheQuery(environments: ["login.example.org"])).count == 1)
  }

  @Test("without an account nothing is removed, and credentials are removed only from a named client")
  func unnamed() {
    let before = TokenCacheDocument.holding(grant())
    var document = before
    document.removeAccounts(matching: [.microsoft])
    document.removeCredentials(matching: [CacheQuery(environments: microsoft, clientID: client)])
    document.removeCredentials(matching: [CacheQuery.ada().forEveryClient])
    #expect(document == before)
  }

  @Test("a refresh doesn't restore an account that was removed in the meantime")
  func noResurrection() {
    var document = TokenCacheDocument()
    document.store(grant(), environmentAliases: microsoft, createsAccount: false)
    #expect(document.accounts(matching: .microsoft).isEmpty)
  }
}
