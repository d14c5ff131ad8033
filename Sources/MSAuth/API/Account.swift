/// A person's account with one provider, as it stands in the token store (MSAL: `MSALAccount`).
public struct Account: Sendable, Hashable, Identifiable {
  /// The account's identifier across tenants: MSAL's home account id, `<uid>.<utid>` with Microsoft.
  public var identifier: String
  /// The name the person knows: `preferred_username`, else `upn`, `email`, `sub`.
  public var username: String
  /// The provider's host, with port where it is not the scheme's.
  public var environment: String
  /// The path of the provider's address, without the slash in front, which distinguishes it from others on its host; nil
  /// with Microsoft, and where it is not known.
  public var realm: String?
  /// The claims of the newest ID token that the account's home tenant issued, by name.
  public var claims: JSONValue.Object
  /// The account in each tenant that it was signed in to.
  public var tenantProfiles: [TenantProfile]

  /// Makes an account record.
  ///
  /// - Parameters:
  ///   - identifier: The home account id.
  ///   - username: The name the person knows.
  ///   - environment: The provider's host.
  ///   - realm: The path of the provider's address; nil with Microsoft.
  ///   - claims: Claims of the ID token, by name.
  ///   - tenantProfiles: The account in each tenant.
  public init(
    identifier: String,
    username: String,
    environment: String,
    realm: String? = nil,
    claims: JSONValue.Object = [:],
    tenantProfiles: [TenantProfile] = []
  ) {
    self.identifier = identifier
    self.username = username
    self.environment = environment
    self.realm = realm
    self.claims = claims
    self.tenantProfiles = tenantProfiles
  }

  /// What identifies an account: its identifier at its provider.
  ///
  /// Two records of one account have the same ID, also when one has other claims.
  public struct ID: Sendable, Hashable {
    let identifier: String
    let environment: String
    let realm: String?
  }

  /// The account's identity, whatever its username and claims are at the moment.
  public var id: ID { ID(identifier: identifier, environment: environment, realm: realm) }
}

extension Account {
  /// The person's mail address: the ID token's `email` (`emails` at Azure AD B2C), else the username if it is one.
  ///
  /// It is nil where neither has the form of an address: the username of many providers is no address, and that of
  /// a guest in a tenant of Microsoft's is none that receives mail.
  public var mailAddress: String? {
    let known = IDTokenClaims(claims)
    return [known.email, known.preferredUsername, known.userPrincipalName, username].lazy
      .compactMap(\.self).first(where: Self.isMailAddress)
  }

  /// Whether a string has the form of a mail address, which no control character or white space belongs to.
  private static func isMailAddress(_ string: String) -> Bool {
    let parts = string.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    let isPlain = string.unicodeScalars.allSatisfy {
      !$0.properties.isWhitespace && $0.properties.generalCategory != .control
    }
    // 254 bytes (RFC 5321 §4.5.3.1.3); a guest is ada_contoso.com#EXT#@fabrikam.onmicrosoft.com.
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && isPlain && string.utf8.count <= 254
      && !parts[0].suffix(5).elementsEqual("#EXT#".utf8)
  }
}

/// An account as one tenant knows it (MSAL: `MSALTenantProfile`).
public struct TenantProfile: Sendable, Hashable {
  /// The account's object id in that tenant.
  public var identifier: String
  /// The tenant's id.
  public var tenantID: String
  /// Whether it is the tenant that the account lives in.
  public var isHomeTenant: Bool
  /// The claims of the ID token that the tenant issued, by name; empty when the store has none.
  public var claims: JSONValue.Object

  /// Makes a tenant profile.
  ///
  /// - Parameters:
  ///   - identifier: The account's object id in that tenant.
  ///   - tenantID: The tenant's id.
  ///   - isHomeTenant: Whether it is the tenant that the account lives in.
  ///   - claims: Claims of the tenant's ID token, by name.
  public init(identifier: String, tenantID: String, isHomeTenant: Bool, claims: JSONValue.Object = [:]) {
    self.identifier = identifier
    self.tenantID = tenantID
    self.isHomeTenant = isHomeTenant
    self.claims = claims
  }
}

/// The account of the moment, and the one before it (MSAL: `getCurrentAccount`).
public struct CurrentAccount: Sendable, Hashable {
  /// The account that is signed in, if there is one.
  public var account: Account?
  /// The account that was current at the last call, when it is another one or signed out since.
  public var previousAccount: Account?

  /// Makes the pair.
  ///
  /// - Parameters:
  ///   - account: The account that is signed in.
  ///   - previousAccount: The account that was current at the last call.
  public init(account: Account?, previousAccount: Account? = nil) {
    self.account = account
    self.previousAccount = previousAccount
  }
}

/// Which accounts to list (MSAL: `MSALAccountEnumerationParameters`); all properties that are set must be equal, ignoring
/// case.
public struct AccountFilter: Sendable, Hashable {
  /// The home account ID.
  public var identifier: String?
  /// The account's object ID in any of its tenants.
  public var tenantProfileIdentifier: String?
  /// The username.
  public var username: String?
  /// Whether accounts that signed out of this application are listed too.
  public var includesSignedOut: Bool
  /// Whether the accounts of every provider in the store are listed, not only those of the configured authority.
  public var ofEveryProvider: Bool

  /// Makes a filter; the default matches every account that is signed in.
  public init(
    identifier: String? = nil,
    tenantProfileIdentifier: String? = nil,
    username: String? = nil,
    includesSignedOut: Bool = false,
    ofEveryProvider: Bool = false
  ) {
    self.identifier = identifier
    self.tenantProfileIdentifier = tenantProfileIdentifier
    self.username = username
    self.includesSignedOut = includesSignedOut
    self.ofEveryProvider = ofEveryProvider
  }

  /// Whether the identifiers and the username match.
  ///
  /// - Parameter account: The account.
  /// - Returns: Whether they do.
  public func matches(_ account: Account) -> Bool {
    func same(_ wanted: String?, _ found: String) -> Bool {
      wanted.map { $0.lowercased() == found.lowercased() } ?? true
    }
    return same(identifier, account.identifier) && same(username, account.username)
      && (tenantProfileIdentifier == nil
        || account.tenantProfiles.contains { same(tenantProfileIdentifier, $0.identifier) })
  }
}
