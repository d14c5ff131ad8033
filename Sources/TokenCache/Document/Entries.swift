package import Core

/// An access token as the cache holds it.
package struct AccessTokenEntry: Sendable, Equatable {
  package var secret: Secret
  package var homeAccountID: String
  package var environment: String
  package var clientID: String
  package var realm: String
  package var scopes: [String]
  package var tokenType: String
  package var cachedAt: UnixTime
  package var expiresOn: UnixTime
  package var extendedExpiresOn: UnixTime?
  package var refreshOn: UnixTime?
  /// The key that it is bound to, by its thumbprint; nil for a bearer token.
  package var keyID: String?
}

/// A refresh token as the cache holds it.
package struct RefreshTokenEntry: Sendable, Equatable {
  package var secret: Secret
  package var homeAccountID: String
  package var environment: String
  package var clientID: String
  package var scopes: [String]
  /// Microsoft's family of clients that share the token; only "1" exists.
  package var familyID: String?
  /// 0 when the writer did not say.
  package var lastModified: UnixTime
  /// The key that it is bound to, by its thumbprint.
  package var keyID: String?
}

/// An ID token as the cache holds it.
package struct IDTokenEntry: Sendable, Equatable {
  package var secret: Secret
  package var homeAccountID: String
  package var environment: String
  package var clientID: String
  package var realm: String
}

/// An account in one tenant as the cache holds it.
package struct AccountEntry: Sendable, Equatable {
  package var homeAccountID: String
  package var environment: String
  package var realm: String
  package var localAccountID: String
  package var username: String
  package var authorityType: String
  package var name: String?

  /// The issuer whose account it is; nil for Microsoft's.
  package var issuer: Issuer? {
    ["ADFS", "Generic"].contains(authorityType) ? Issuer(environment: environment, realm: realm) : nil
  }

  /// Whether it may be an account of that issuer on its host; nil is Microsoft.
  ///
  /// MSAL Python calls all but AD FS `MSSTS`, so that a plain provider's accounts are recognised by the realm alone: the first
  /// segment of the token endpoint's path, which is the issuer's path where that is one segment too.
  func matches(_ issuer: Issuer?) -> Bool {
    issuer.map { realm.utf8.elementsEqual($0.realm.utf8) } ?? (self.issuer == nil)
  }
}

/// The account that a client last reported as the current one (MSAL's principal account).
package struct Principal: Sendable, Equatable {
  package var homeAccountID: String
  package var username: String
  package var environment: String

  package init(homeAccountID: String, username: String, environment: String) {
    self.homeAccountID = homeAccountID
    self.username = username
    self.environment = environment
  }
}

/// Everything that one token response brings into the cache.
package struct TokenGrant: Sendable {
  package var homeAccountID: String
  package var environment: String
  package var realm: String
  package var clientID: String
  package var username: String
  package var localAccountID: String
  package var name: String?
  /// MSAL's word: `MSSTS`, `ADFS` or `Generic`.
  package var authorityType: String
  /// The issuer, where its host may have several; nil for Microsoft.
  package var issuer: Issuer?
  package var accessToken: Secret
  package var tokenType: String
  package var scopes: [String]
  package var cachedAt: UnixTime
  package var expiresOn: UnixTime
  package var extendedExpiresOn: UnixTime?
  package var refreshOn: UnixTime?
  package var refreshToken: Secret?
  /// All that the refresh token stands for: asking for less at a refresh does not narrow it (RFC 6749 §6).
  package var refreshScopes: [String]
  package var familyID: String?
  package var idToken: Secret?
  package var clientInfo: Secret?
  /// The key that access and refresh token are bound to, by its thumbprint.
  package var keyID: String?

  package init(
    homeAccountID: String,
    environment: String,
    realm: String,
    clientID: String,
    username: String,
    localAccountID: String,
    name: String? = nil,
    authorityType: String,
    issuer: Issuer? = nil,
    accessToken: Secret,
    tokenType: String = "Bearer",
    scopes: [String],
    cachedAt: UnixTime,
    expiresOn: UnixTime,
    extendedExpiresOn: UnixTime? = nil,
    refreshOn: UnixTime? = nil,
    refreshToken: Secret? = nil,
    refreshScopes: [String] = [],
    familyID: String? = nil,
    idToken: Secret? = nil,
    clientInfo: Secret? = nil,
    keyID: String? = nil
  ) {
    self.homeAccountID = homeAccountID
    self.environment = environment.lowercased()
    self.realm = realm
    self.clientID = clientID
    self.username = username
    self.localAccountID = localAccountID
    self.name = name
    self.authorityType = authorityType
    self.issuer = issuer
    self.accessToken = accessToken
    self.tokenType = tokenType
    self.scopes = scopes
    self.cachedAt = cachedAt
    self.expiresOn = expiresOn
    self.extendedExpiresOn = extendedExpiresOn
    self.refreshOn = refreshOn
    self.refreshToken = refreshToken
    self.refreshScopes = refreshScopes
    self.familyID = familyID
    self.idToken = idToken
    self.clientInfo = clientInfo
    self.keyID = keyID
  }
}
