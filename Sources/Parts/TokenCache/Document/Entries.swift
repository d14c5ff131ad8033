package import MSAuthCore

package struct AccessTokenEntry: Sendable, Equatable {
  package var secret: Secret
  package var realm: String
  package var scopes: [String]
  package var cachedAt: UnixTime
  package var expiresOn: UnixTime
  var extendedExpiresOn: UnixTime?
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

package struct RefreshTokenEntry: Sendable, Equatable {
  package var secret: Secret
  /// All granted scopes: requesting fewer at a refresh doesn't narrow the token (RFC 6749 §6).
  package var scopes: [String]
  /// Microsoft's family of clients that share the token; only "1" exists.
  package var familyID: String?
  /// 0 if the writer stored none.
  var lastModified: UnixTime
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
  var authorityType: String
  var name: String?
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

  /// MSAL's `account_source` of a broker's account.
  static let brokerSource = "broker"

  /// The issuer whose account it is; `nil` for Microsoft's.
  package var issuer: Issuer? {
    ["ADFS", "Generic"].contains(authorityType) ? Issuer(environment: environment, realm: realm) : nil
  }

  /// Whether it represents a resource's session instead of a user's account.
  package var isResource: Bool { issuer?.realm.isResourceRealm == true }

  /// Whether it may be an account of the issuer (`nil`: Microsoft).
  ///
  /// MSAL Python stores all but AD FS as `MSSTS`, so a plain provider's accounts are recognized only by the realm: the first
  /// segment of the token endpoint's path.
  func matches(_ issuer: Issuer?) -> Bool {
    issuer.map { realm.utf8.elementsEqual($0.realm.utf8) } ?? (self.issuer == nil)
  }
}
