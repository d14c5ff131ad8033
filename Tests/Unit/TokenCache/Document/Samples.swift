import MSAuthCore
@testable import MSAuthCache

let home = "uid.utid"
let client = "11111111-AAAA-bbbb-cccc-222222222222"
let microsoft = ["login.microsoftonline.com", "login.windows.net", "login.microsoft.com", "sts.windows.net"]

/// Entra's response to a sign-in, with changes.
func grant(_ change: (inout TokenGrant) -> Void = { _ in }) -> TokenGrant {
  var grant = TokenGrant(
    account: AccountEntry(
      homeAccountID: home,
      environment: "login.microsoftonline.com",
      realm: "tenant",
      localAccountID: "oid",
      username: "Ada@Contoso.com",
      authorityType: "MSSTS"
    ),
    clientID: client,
    accessToken: AccessTokenEntry(
      secret: Secret("AT"),
      realm: "tenant",
      scopes: ["openid", "User.Read", "profile", "email"],
      cachedAt: 1_700_000_000,
      expiresOn: 1_700_003_600,
      extendedExpiresOn: 1_700_007_200,
      refreshOn: 1_700_001_800
    ),
    refreshToken: RefreshTokenEntry(
      secret: Secret("RT"),
      scopes: ["openid", "User.Read", "profile", "email"],
      lastModified: 1_700_000_000
    ),
    idToken: Secret("h.p.s")
  )
  change(&grant)
  return grant
}

extension TokenGrant {
  var realm: String {
    get { account.realm }
    set { (account.realm, accessToken.realm) = (newValue, newValue) }
  }

  var cachedAt: UnixTime {
    get { accessToken.cachedAt }
    set {
      accessToken.cachedAt = newValue
      refreshToken?.lastModified = newValue
    }
  }

  var keyID: String? {
    get { accessToken.keyID }
    set {
      accessToken.keyID = newValue
      refreshToken?.keyID = newValue
    }
  }
}

extension CacheQuery {
  static let microsoft = CacheQuery(environments: TokenCacheTests.microsoft)

  static func ada(of client: String = TokenCacheTests.client) -> CacheQuery {
    CacheQuery(account: home, environments: TokenCacheTests.microsoft, clientID: client)
  }
}

extension TokenCacheDocument {
  static func holding(_ grants: TokenGrant..., aliases: [String] = microsoft) -> TokenCacheDocument {
    var document = TokenCacheDocument()
    for grant in grants { document.add(grant, aliases: aliases) }
    return document
  }

  init(_ json: String) throws { try self.init(parsing: Array(json.utf8)) }

  mutating func add(_ grant: TokenGrant, aliases: [String] = microsoft) {
    store(grant, environmentAliases: aliases, createsAccount: true)
  }

  /// Adds fields to a map's only entry, like another program.
  mutating func amend(_ kind: Kind, with fields: JSONValue.Object) {
    for (key, entry) in entries(kind) { put((entry.object ?? [:]).merging(fields), as: key, in: kind) }
  }

  var text: String { String(decoding: serialized(), as: UTF8.self) }

  func token(
    _ scopes: [String] = ["user.read"],
    realms: [String] = ["tenant"],
    environments: [String] = microsoft,
    client id: String = client,
    validAfter: UnixTime = 1_700_000_300,
    now: UnixTime = 1_700_000_000
  ) -> AccessTokenEntry? {
    accessToken(
      matching: CacheQuery(account: home, environments: environments, clientID: id, realms: realms),
      scopes: scopes,
      validity: .seconds(validAfter - now),
      now: now
    )
  }

  func refreshTokens(of id: String = client) -> [String] {
    refreshTokens(matching: .ada(of: id)).map(\.secret.revealed)
  }

  func idToken(realms: [String] = ["tenant"]) -> String? {
    idToken(matching: CacheQuery(account: home, environments: microsoft, clientID: client, realms: realms))?.revealed
  }
}
