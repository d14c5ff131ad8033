import MSAuthCore
import Testing

@testable import MSAuthCache

/// Accounts with the same ID at two issuers of one host.
@Suite("issuers on one host")
struct IssuerTests {
  static let host = "login.example.org"
  static let staff = Issuer(environment: host, realm: "realms/staff")
  /// Paths are case-sensitive, and an issuer may have none.
  static let others = ["realms/guests", "realms/Staff", "realms", ""].map { Issuer(environment: host, realm: $0) }

  private func grant(_ issuer: Issuer, _ secret: String = "staff") -> TokenGrant {
    TokenCacheTests.grant {
      $0.account.homeAccountID = "sub"
      $0.account.environment = Self.host
      $0.realm = issuer.realm
      $0.account.authorityType = "Generic"
      $0.account.username = secret
      $0.accessToken.secret = Secret("AT " + secret)
      $0.refreshToken?.secret = Secret("RT " + secret)
      $0.idToken = Secret("ID " + secret)
    }
  }

  /// All entries found for an issuer: account, access token, refresh tokens, ID token.
  private func found(_ document: TokenCacheDocument, _ issuer: Issuer?) -> [String] {
    let query = Self.query(issuer)
    let token = Self.token(in: document, query)
    let idToken = document.idToken(matching: query)
    let refreshTokens = document.refreshTokens(matching: query)
    var everyAccount = query
    everyAccount.account = nil
    return document.signedInAccounts(matching: everyAccount).map(\.username)
      + [token?.secret, idToken].compactMap { $0?.revealed } + refreshTokens.map(\.secret.revealed)
  }

  private static func query(_ issuer: Issuer?) -> CacheQuery {
    CacheQuery(account: "sub", environments: [host], issuer: issuer, clientID: client, realms: [issuer?.realm ?? ""])
  }

  private static func token(
    in document: TokenCacheDocument,
    _ query: CacheQuery,
    _ scopes: [String] = []
  ) -> AccessTokenEntry? {
    document.accessToken(matching: query, scopes: scopes, validity: .seconds(300), now: 1_700_000_000)
  }

  /// MSAL Python's entry, which has no issuer.
  private static func python(_ more: JSONValue.Object = [:]) -> JSONValue.Object {
    ([
      "home_account_id": "sub", "environment": .string(host), "client_id": .string(client), "secret": "python",
      "credential_type": "RefreshToken",
    ] as JSONValue.Object).merging(more)
  }

  private static func all(_ name: String) -> [String] { [name, "AT " + name, "ID " + name, "RT " + name] }

  @Test("scopes are case-sensitive except at Microsoft")
  func scopeCase() {
    let document = TokenCacheDocument.holding(grant(Self.staff), aliases: [])
    for (scope, isFound) in [("User.Read", true), ("user.read", false)] {
      #expect((Self.token(in: document, Self.query(Self.staff), [scope]) != nil) == isFound, "\(scope)")
    }
  }

  @Test("an issuer never finds, replaces or removes another one's entries", arguments: others)
  func apart(other: Issuer) {
    var document = TokenCacheDocument.holding(grant(Self.staff), aliases: [])
    #expect(found(document, Self.staff) == Self.all("staff"))
    #expect(found(document, other).isEmpty)
    #expect(found(document, nil).isEmpty)

    document.add(grant(other, "other"), aliases: [])
    #expect(found(document, Self.staff) == Self.all("staff"))
    #expect(found(document, other) == Self.all("other"))

    var removed = document
    removed.removeCredentials(matching: [Self.query(other)])
    #expect(found(removed, Self.staff) == Self.all("staff") && found(removed, other).isEmpty)
    removed = document
    removed.removeAccounts(matching: [Self.query(Self.staff)])
    #expect(found(removed, Self.staff).isEmpty && found(removed, other) == Self.all("other"))
    removed.removeAllAccountsAndSessions()
    #expect(found(removed, other).isEmpty && removed.entries(.appMetadata).count == 1)
  }

  @Test("a refresh token has its issuer in an msauth field; Microsoft's entries have none")
  func field() throws {
    var document = TokenCacheDocument.holding(grant(Self.staff), aliases: [])
    let entry = try #require(document.entries(.refreshToken).values.first)
    #expect(entry.has("realm", "realms/staff"))
    #expect(document.accounts().map(\.issuer) == [Self.staff])
    document = .holding(TokenCacheTests.grant())
    #expect(try #require(document.entries(.refreshToken).values.first)["realm"] == nil)
    #expect(document.accounts().map(\.issuer) == [nil])
  }

  @Test("a refresh token without an issuer, like MSAL Python's, matches any issuer, and is removed when replaced")
  func withoutIssuer() {
    var document = TokenCacheDocument()
    document.put(Self.python(), as: "python", in: .refreshToken)
    for issuer in [Self.staff] + Self.others { #expect(found(document, issuer) == ["python"]) }
    document.add(grant(Self.staff), aliases: [])
    #expect(found(document, Self.staff) == Self.all("staff"))
  }

  @Test("of two refresh tokens of the same second, the foreign one is newer, since storing removes all others")
  func sameSecond() {
    for issuer in [Self.staff] + Self.others {
      // MSAL Python copies the realm to the new token.
      for realm in [nil, issuer.realm] {
        var document = TokenCacheDocument.holding(grant(issuer), aliases: [])
        var fields = Self.python(["last_modification_time": "1700000000"])
        fields["realm"] = realm.map { .string($0) }
        let key = "sub-\(Self.host)-refreshtoken-\(client)--user.read".lowercased()
        document.put(fields, as: key, in: .refreshToken)
        #expect(found(document, issuer) == Self.all("staff").dropLast() + ["python", "RT staff"])
      }
    }
  }

  @Test("an issuer's account isn't Microsoft's, and a tenant's account isn't an issuer's")
  func besideMicrosoft() {
    var document = TokenCacheDocument.holding(TokenCacheTests.grant())
    document.add(
      TokenCacheTests.grant {
        $0.account.homeAccountID = "sub"
        $0.realm = "adfs"
        $0.account.authorityType = "ADFS"
      },
      aliases: []
    )
    #expect(document.accounts(matching: .microsoft).map(\.homeAccountID) == [home])
    let adfs = Issuer(environment: microsoft[0], realm: "adfs")
    #expect(
      document.accounts(matching: CacheQuery(environments: microsoft, issuer: adfs)).map(\.homeAccountID) == ["sub"]
    )
    #expect(document.refreshTokens(matching: CacheQuery.ada().with(account: "sub")).isEmpty)
  }

  @Test(
    "a sign-out at one issuer marks no other issuer's account, even if an ID starts like an issuer",
    arguments: others
  )
  func marks(other: Issuer) {
    var document = TokenCacheDocument()
    func key(_ account: String, at issuer: Issuer?) -> AccountKey {
      AccountKey(issuer: issuer, clientID: client, homeAccountID: account)
    }
    document.markSignedOut(key("sub", at: Self.staff), username: "ada")
    document.markSignedOut(key("\(Self.host)/realms/staff x", at: other), username: "bob")
    // Starts with a combining accent: with the space before it, it is one `Character`.
    document.markSignedOut(key("\u{301}", at: other), username: "eve")
    #expect(document.isSignedOut(key("sub", at: Self.staff)))
    for issuer in [other, nil] { #expect(!document.isSignedOut(key("sub", at: issuer))) }
    #expect(!document.isSignedOut(key("x", at: Self.staff)))
    #expect(document.signedOut(of: client, at: Self.staff) == ["ada"])
    #expect(Set(document.signedOut(of: client, at: other)) == ["bob", "eve"])
    #expect(document.signedOut(of: client).isEmpty)
    document.recordSignIn(key("sub", at: Self.staff))
    #expect(document.signedOut(of: client, at: Self.staff).isEmpty)
  }
}
