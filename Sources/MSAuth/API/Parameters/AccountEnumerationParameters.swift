/// Which accounts to list (MSAL: `MSALAccountEnumerationParameters`).
///
/// An account matches if all properties that are set are equal, ignoring case.
public struct AccountEnumerationParameters: Sendable, Hashable {
  /// The home account ID.
  public var identifier: String?
  /// The account's object ID in any of its tenants.
  public var tenantProfileIdentifier: String?
  /// The username.
  public var username: String?
  /// Whether accounts that signed out of this application are left out.
  public var returnsOnlySignedInAccounts: Bool

  /// Makes parameters with MSAL's defaults: every account that is signed in.
  ///
  /// - Parameters:
  ///   - identifier: The home account ID.
  ///   - tenantProfileIdentifier: The account's object ID in any of its tenants.
  ///   - username: The username.
  ///   - returnsOnlySignedInAccounts: Whether accounts that signed out of this application are left out.
  public init(
    identifier: String? = nil,
    tenantProfileIdentifier: String? = nil,
    username: String? = nil,
    returnsOnlySignedInAccounts: Bool = true
  ) {
    self.identifier = identifier
    self.tenantProfileIdentifier = tenantProfileIdentifier
    self.username = username
    self.returnsOnlySignedInAccounts = returnsOnlySignedInAccounts
  }

  package func matches(_ account: Account) -> Bool {
    Self.same(identifier, account.identifier) && Self.same(username, account.username)
      && (tenantProfileIdentifier == nil
        || account.tenantProfiles.contains { Self.same(tenantProfileIdentifier, $0.identifier) })
  }

  private static func same(_ wanted: String?, _ found: String) -> Bool {
    wanted.map { $0.lowercased() == found.lowercased() } ?? true
  }
}
