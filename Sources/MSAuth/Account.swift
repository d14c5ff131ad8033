import FoundationEssentials

/// A user's account at one provider, as stored (MSAL: `MSALAccount`).
public struct Account: Sendable, Hashable, Identifiable {
  /// The account's ID across tenants: MSAL's home account ID, `<uid>.<utid>` at Microsoft.
  public var identifier: String
  /// The username for display: `preferred_username`, else `upn`, `email`, `sub`.
  public var username: String
  /// The provider's host, with the port unless it is the scheme's default.
  public var environment: String
  /// The path of the provider's URL without the leading slash, which distinguishes providers on one host.
  ///
  /// It is `nil` at Microsoft, or if unknown.
  public var realm: String?
  /// The claims of the home tenant's newest ID token, by name.
  public var claims: JSONValue.Object
  /// The account in each tenant where it signed in.
  public var tenantProfiles: [TenantProfile]
  /// Whether the account's tokens come from the device's identity broker.
  public var isFromBroker = false

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

  /// Identifies the account at its provider; records of one account with different claims have the same ID.
  public struct ID: Sendable, Hashable {
    /// UTF-8 bytes: `String.==` treats canonically equivalent strings as equal.
    private let parts: [[UInt8]?]

    fileprivate init(_ account: Account) {
      parts = [account.identifier, account.environment, account.realm].map { $0.map { Array($0.utf8) } }
    }
  }

  /// The account's identity, regardless of its username and claims.
  public var id: ID { ID(self) }
}

extension Account: CustomStringConvertible {
  /// The username and the environment.
  public var description: String { "Account(\(username), \(environment))" }
}

extension Account {
  /// The user's email address: the ID token's `email` (`emails` at Azure AD B2C), else the username.
  ///
  /// It is `nil` if neither looks like an address; a guest's username in a Microsoft tenant doesn't receive mail.
  public var mailAddress: String? {
    let known = IDTokenClaims(claims)
    return [known.email, known.preferredUsername, known.userPrincipalName, username].lazy
      .compactMap(\.self).first(where: Self.isMailAddress)
  }

  /// Returns whether the address is the user's, ignoring case.
  func hasMailAddress(_ address: String) -> Bool { mailAddress?.isEqual(ignoringCase: address) == true }

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

extension Account {
  /// Returns whether the name is the account's username or ID, ignoring case.
  package func isNamed(_ name: String) -> Bool {
    [username, identifier].contains { $0.isEqual(ignoringCase: name) }
  }

  /// The parts of Microsoft's home account ID, `<uid>.<utid>`; other libraries may store an ID without a tenant.
  package static func homeParts(of identifier: String) -> (objectID: String, tenantID: String)? {
    let halves = identifier.split(at: ".")
    return halves.count == 2 && !halves.contains("") ? (halves[0], halves[1]) : nil
  }

  /// Returns whether a string is one of Microsoft's home account IDs, which no user signs in with.
  static func isMicrosoftIdentifier(_ string: String) -> Bool {
    homeParts(of: string).map { UUID(uuidString: $0) != nil && UUID(uuidString: $1) != nil } ?? false
  }

  static func homeTenant(in identifier: String) -> String? { homeParts(of: identifier)?.tenantID.lowercased() }
}

/// An account in one tenant (MSAL: `MSALTenantProfile`).
public struct TenantProfile: Sendable, Hashable {
  /// The account's object ID in the tenant.
  public var identifier: String
  /// The tenant's ID.
  public var tenantID: String
  /// Whether it is the account's home tenant.
  public var isHomeTenant: Bool
  /// The claims of the tenant's ID token, by name; empty if none is stored.
  public var claims: JSONValue.Object

  public init(identifier: String, tenantID: String, isHomeTenant: Bool, claims: JSONValue.Object = [:]) {
    self.identifier = identifier
    self.tenantID = tenantID
    self.isHomeTenant = isHomeTenant
    self.claims = claims
  }
}

/// The current account and the previous one (MSAL: `getCurrentAccount`).
public struct CurrentAccount: Sendable, Hashable {
  /// The current account, if one is signed in.
  public var account: Account?
  /// The account that was current at the last call, if it changed or signed out.
  public var previousAccount: Account?

  public init(account: Account?, previousAccount: Account? = nil) {
    self.account = account
    self.previousAccount = previousAccount
  }
}

/// Which accounts to list (MSAL: `MSALAccountEnumerationParameters`): those that match every property that is set.
public struct AccountFilter: Sendable, Hashable {
  /// The home account ID.
  public var identifier: String?
  /// The account's object ID in any of its tenants, at Microsoft ignoring case.
  public var tenantProfileIdentifier: String?
  /// The username, ignoring case.
  public var username: String?
  /// Whether accounts that signed out of this application are listed too.
  public var includesSignedOut: Bool

  /// Creates a filter; the default matches every account that is signed in.
  public init(
    identifier: String? = nil,
    tenantProfileIdentifier: String? = nil,
    username: String? = nil,
    includesSignedOut: Bool = false
  ) {
    self.identifier = identifier
    self.tenantProfileIdentifier = tenantProfileIdentifier
    self.username = username
    self.includesSignedOut = includesSignedOut
  }

  /// Returns whether the identifiers and the username match.
  public func matches(_ account: Account) -> Bool {
    func same(_ wanted: String?, _ found: String, ignoringCase: Bool = false) -> Bool {
      wanted.map { $0.isIdentical(to: found) || ignoringCase && $0.isEqual(ignoringCase: found) } ?? true
    }
    return same(identifier, account.identifier) && same(username, account.username, ignoringCase: true)
      && (tenantProfileIdentifier == nil
        // Microsoft's are GUIDs.
        || account.tenantProfiles.contains {
          same(tenantProfileIdentifier, $0.identifier, ignoringCase: account.realm == nil)
        })
  }
}
