import MSAuthCore

@testable import MSAuthCache

private let now: UnixTime = 1_700_000_000

/// The token cache, which other programs write too.
@Sendable func fuzzCache(_ input: Input) {
  var input = input
  let choice = input.byte()
  guard var document = try? TokenCacheDocument(parsing: input.bytes) else { return }
  require(read(document.serialized()) == document, "a cache round-trips")
  let issuer = choice & 1 == 0 ? nil : Issuer(environment: "id.example", realm: "r")
  var query = CacheQuery(environments: ["id.example"], issuer: issuer, clientID: "c", realms: ["r"])
  use(document, query)
  query.account = "a"
  use(document, query)

  let grant = grant(issuer)
  document.store(grant, environmentAliases: ["id.example"], createsAccount: true)
  let found = document.accessToken(matching: query, scopes: ["s"], validity: .seconds(0), now: now)
  require(found?.secret == grant.accessToken.secret, "a stored token is found")
  let refreshTokens = document.refreshTokens(matching: query).map(\.secret)
  require(refreshTokens.contains { $0 == grant.refreshToken?.secret }, "its refresh token is found")
  require(document.idToken(matching: query) != nil, "its ID token is found")
  require(document.signedInAccounts(matching: query).contains { $0.homeAccountID == "a" }, "its account is signed in")
  require(read(document.serialized()) == document, "a cache with a new token round-trips")

  let key = AccountKey(issuer: issuer, clientID: "c", homeAccountID: "a")
  document.markSignedOut(key, username: "u")
  require(document.isSignedOut(key), "a signed-out account is marked")
  if choice & 2 == 0 {
    document.removeCredentials(matching: [query])
  } else {
    document.removeAccounts(matching: [query])
  }
  let left = document.accessToken(matching: query, scopes: ["s"], validity: .seconds(0), now: now)
  require(left == nil, "a removed token isn't found")
  require(read(document.serialized()) == document, "a cache without the token round-trips")
  document.removeAllAccountsAndSessions()
  require(document.accounts().isEmpty, "wiping removes every account")
}

private func read(_ bytes: [UInt8]) -> TokenCacheDocument? { try? TokenCacheDocument(parsing: bytes) }

private func use(_ document: TokenCacheDocument, _ query: CacheQuery) {
  for account in document.accounts(matching: query) + document.signedInAccounts(matching: query) {
    require(!account.homeAccountID.isEmpty, "an account has an ID")
    require(account.environment.lowercased() == "id.example", "an account has the requested environment")
  }
  let validity = RequiredValidity.secondsOrHalfLife(300)
  if let token = document.accessToken(matching: query, scopes: ["s"], validity: validity, now: now) {
    require(token.expiresOn > now && !token.secret.isEmpty, "a returned token is valid")
    require(token.scopes.contains { $0.lowercased() == "s" }, "a returned token has the requested scope")
  }
  for token in document.refreshTokens(matching: query) { require(!token.secret.isEmpty, "a refresh token isn't empty") }
  _ = (document.idToken(matching: query), document.lastUse(matching: query), document.accounts())
  _ = document.signedOut(of: "c", at: query.issuer)
}

private func grant(_ issuer: Issuer?) -> TokenGrant {
  TokenGrant(
    account: AccountEntry(
      homeAccountID: "a",
      environment: "id.example",
      realm: "r",
      localAccountID: "a",
      username: "u",
      authorityType: issuer == nil ? "MSSTS" : "Generic"
    ),
    clientID: "c",
    accessToken: AccessTokenEntry(
      secret: Secret("new access token"),
      realm: "r",
      scopes: ["s", "t"],
      cachedAt: now,
      expiresOn: 253_402_300_799
    ),
    refreshToken: RefreshTokenEntry(secret: Secret("new refresh token"), scopes: ["s"], lastModified: now),
    idToken: Secret("new.id.token")
  )
}
