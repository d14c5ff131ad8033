import FoundationEssentials
package import MSAuthCore

package struct AccessTokenEntry: Sendable, Equatable {
  package var secret: Secret
  package var realm: String
  package var scopes: [String]
  package var cachedAt: UnixTime
  package var expiresOn: UnixTime
  package var extendedExpiresOn: UnixTime?
  package var refreshOn: UnixTime?
  /// The key that it is bound to, by its thumbprint; `nil` for a bearer token.
  package var keyID: String?

  package init(
    secret: Secret,
    realm: String,
    scopes: [String],
    cachedAt: UnixTime,
    expiresOn: UnixTime,
    extendedExpiresOn: UnixTime? = nil,
    refreshOn: UnixTime? = nil,
    keyID: String? = nil
  ) {
    (self.secret, self.realm, self.scopes, self.cachedAt) = (secret, realm, scopes, cachedAt)
    (self.expiresOn, self.extendedExpiresOn, self.refreshOn) = (expiresOn, extendedExpiresOn, refreshOn)
    self.keyID = keyID
  }

  /// Case-insensitive (RFC 6749 §7.1), but Go and .NET treat another spelling of `Bearer` as a special token type.
  package var tokenType: String { keyID == nil ? "Bearer" : "DPoP" }
}

/// How long an access token must still be valid to be used.
package enum RequiredValidity: Sendable, Equatable {
  /// That many seconds.
  case seconds(Int64)
  /// That many seconds, or half its lifetime if that is less: some providers' tokens are valid for five minutes.
  case secondsOrHalfLife(Int64)

  /// Whether a token is valid for that long.
  package func isMet(expiresOn: UnixTime, cachedAt: UnixTime, now: UnixTime) -> Bool {
    switch self {
    case .seconds(let seconds): expiresOn > now + seconds
    case .secondsOrHalfLife(let seconds): expiresOn > now + min(seconds, max(0, expiresOn - cachedAt) / 2)
    }
  }
}

package struct RefreshTokenEntry: Sendable, Equatable {
  package var secret: Secret
  /// All granted scopes: requesting fewer at a refresh doesn't narrow the token (RFC 6749 §6).
  package var scopes: [String]
  /// Microsoft's family of clients that share the token; only "1" exists.
  package var familyID: String?
  /// 0 if the writer stored none.
  package var lastModified: UnixTime
  /// The key that it is bound to, by its thumbprint.
  package var keyID: String?

  package init(
    secret: Secret,
    scopes: [String],
    familyID: String? = nil,
    lastModified: UnixTime,
    keyID: String? = nil
  ) {
    (self.secret, self.scopes, self.familyID) = (secret, scopes, familyID)
    (self.lastModified, self.keyID) = (lastModified, keyID)
  }
}

package struct AccountEntry: Sendable, Equatable {
  package var homeAccountID: String
  package var environment: String
  package var realm: String
  package var localAccountID: String
  package var username: String
  /// MSAL's name for the kind of provider: `MSSTS`, `ADFS` or `Generic`.
  package var authorityType: String
  package var name: String?
  /// Whether its tokens come from the device's broker, which alone has the refresh token.
  package var isFromBroker: Bool

  package init(
    homeAccountID: String,
    environment: String,
    realm: String,
    localAccountID: String,
    username: String,
    authorityType: String,
    name: String? = nil,
    isFromBroker: Bool = false
  ) {
    (self.homeAccountID, self.environment, self.realm) = (homeAccountID, environment, realm)
    (self.localAccountID, self.username, self.name) = (localAccountID, username, name)
    (self.authorityType, self.isFromBroker) = (authorityType, isFromBroker)
  }

  /// What MSAL writes as the source of a broker's account.
  static let brokerSource = "broker"

  /// The issuer whose account it is; `nil` for Microsoft's.
  package var issuer: Issuer? {
    ["ADFS", "Generic"].contains(authorityType) ? Issuer(environment: environment, realm: realm) : nil
  }

  /// Whether it represents a resource's session instead of a user's account.
  package var isResource: Bool { issuer?.realm.contains("#") == true }

  /// Whether it may be an account of the issuer (`nil`: Microsoft).
  ///
  /// MSAL Python stores all but AD FS as `MSSTS`, so a plain provider's accounts are recognized only by the realm: the first
  /// segment of the token endpoint's path.
  func matches(_ issuer: Issuer?) -> Bool {
    issuer.map { realm.utf8.elementsEqual($0.realm.utf8) } ?? (self.issuer == nil)
  }
}

/// The current account of a client at one authority (MSAL's principal account).
package struct Principal: Sendable, Equatable {
  package var homeAccountID: String
  package var username: String
  package var environment: String
  /// The path of the account's issuer; `nil` for Microsoft.
  package var issuerPath: String?
  /// When it became the current one.
  package var since: UnixTime

  package init(
    homeAccountID: String,
    username: String,
    environment: String,
    issuerPath: String? = nil,
    since: UnixTime = 0
  ) {
    (self.homeAccountID, self.username, self.environment) = (homeAccountID, username, environment)
    (self.issuerPath, self.since) = (issuerPath, since)
  }

  /// The account's issuer; `nil` for Microsoft.
  package var issuer: Issuer? { issuerPath.map { Issuer(environment: environment, realm: $0) } }
}

/// The entries that one token response adds to the cache.
package struct TokenGrant: Sendable {
  /// The account of the tokens; its realm is the ID token's.
  package var account: AccountEntry
  /// The client that they were issued to.
  package var clientID: String
  package var accessToken: AccessTokenEntry
  /// False if other callers must not find the access token.
  package var keepsAccessToken: Bool
  package var refreshToken: RefreshTokenEntry?
  package var idToken: Secret?
  /// Microsoft's `client_info`.
  package var clientInfo: Secret?

  package init(
    account: AccountEntry,
    clientID: String,
    accessToken: AccessTokenEntry,
    keepsAccessToken: Bool = true,
    refreshToken: RefreshTokenEntry? = nil,
    idToken: Secret? = nil,
    clientInfo: Secret? = nil
  ) {
    (self.account, self.clientID, self.clientInfo) = (account, clientID, clientInfo)
    self.account.environment = account.environment.lowercased()
    (self.accessToken, self.keepsAccessToken) = (accessToken, keepsAccessToken)
    (self.refreshToken, self.idToken) = (refreshToken, idToken)
  }
}

extension JSONValue {
  /// Whether the entry may be the issuer's (`nil`: Microsoft, whose realms are tenants).
  ///
  /// An issuer's realm is its path, case-sensitively (RFC 3986 §6.2.2.1). A refresh token from another library has none.
  func matches(_ issuer: Issuer?) -> Bool {
    guard let issuer, self["realm"] ?? .null != .null else { return true }
    return has("realm", issuer.realm)
  }
}

// A malformed entry stays in the file, and every lookup skips it.
extension JSONValue {
  /// A Unix time as MSAL writes it, a decimal string; a number makes .NET clear the whole cache.
  static func time(_ time: UnixTime) -> JSONValue { .string(String(time)) }

  func string(_ name: String) -> String? { self[name]?.string }

  /// A field's string, if it is not empty.
  func nonEmpty(_ name: String) -> String? { string(name).flatMap { $0.isEmpty ? nil : $0 } }

  /// A field's Unix time: MSAL writes it as a string, other writers as a number, perhaps with a fraction.
  func time(_ name: String) -> UnixTime? {
    let lexeme: String
    switch self[name] {
    case .number(let number): lexeme = number.lexeme
    case .string(let string): lexeme = string
    default: return nil
    }
    guard let time = Int64(lexeme) ?? Double(lexeme).flatMap({ Int64(exactly: $0.rounded(.down)) }),
      (0...lastTime).contains(time)
    else { return nil }
    return time
  }

  var scopes: [String] {
    (string("target") ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// Whether a field is exactly that string, byte by byte: `==` would equate two spellings of an accented letter.
  func has(_ name: String, _ string: String) -> Bool {
    self[name]?.string?.isIdentical(to: string) == true
  }

  /// Entra's client IDs are GUIDs, in either case; others are compared exactly (RFC 6749 §2.2).
  func matches(client clientID: String) -> Bool {
    if has("client_id", clientID) { return true }
    guard let id = UUID(uuidString: clientID) else { return false }
    return string("client_id").flatMap { UUID(uuidString: $0) } == id
  }

  /// Whether the entry belongs to one of the environment's names; host names have no case.
  func isIn(_ environments: [String]) -> Bool {
    if environments.contains(where: { has("environment", $0) }) { return true }
    guard let environment = string("environment")?.lowercased() else { return false }
    return environments.contains { $0.lowercased() == environment }
  }

  /// Whether the entry has that realm, ignoring case.
  func isIn(realm: String) -> Bool { has("realm", realm) || string("realm")?.isEqual(ignoringCase: realm) == true }

  /// Whether an access token is a plain bearer token: not bound to a key, and not on behalf of another user.
  var isPlainBearer: Bool {
    (nonEmpty("token_type").map { $0.lowercased() == "bearer" } ?? true)
      && ["ext_cache_key", "user_assertion_hash", "userAssertionHash"].allSatisfy { nonEmpty($0) == nil }
  }
}
