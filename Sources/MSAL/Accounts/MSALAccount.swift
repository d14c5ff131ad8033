import MSAuth

/// A user's account at one provider.
public final class MSALAccount: NSObject, NSCopying, Sendable {
  let account: Account
  private let isListed: Bool

  init(_ account: Account, isListed: Bool) {
    self.account = account
    self.isListed = isListed
  }

  /// The username.
  public var username: String? { account.username.isEmpty ? nil : account.username }
  /// The home account ID, which identifies the account.
  public var identifier: String? { account.identifier }
  /// The provider's host.
  public var environment: String { account.environment }
  /// The claims of the ID token that the account's home tenant issued; `nil` if the store has none.
  public var accountClaims: [String: Any]? { account.claims.isEmpty ? nil : account.claims.mapValues(\.foundation) }
  /// The account in each tenant; `nil` in a result, as in MSAL.
  public var tenantProfiles: [MSALTenantProfile]? {
    isListed ? account.tenantProfiles.map { MSALTenantProfile($0, in: account) } : nil
  }
  /// The parts of the home account ID.
  public var homeAccountId: MSALAccountId? { MSALAccountId(account.identifier) }
  /// Whether the account came from the device's identity broker.
  public var isSSOAccount: Bool { account.isFromBroker }

  /// Returns the account itself, which is immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }
  /// Two records of one account are equal, even with different claims.
  public override func isEqual(_ object: Any?) -> Bool { (object as? MSALAccount)?.account.id == account.id }
  /// Hashes what equality compares.
  public override var hash: Int { account.id.hashValue }
  /// The username and the environment.
  public override var description: String { "MSALAccount(\(username ?? "no username"), \(environment))" }
}

/// The parts of a home account ID.
public final class MSALAccountId: NSObject, NSCopying, Sendable {
  /// The whole ID.
  public let identifier: String
  /// The account's object ID in its home tenant.
  public let objectId: String?
  /// The home tenant's ID.
  public let tenantId: String?

  /// Reads a home account ID; Microsoft's is `<object ID>.<tenant ID>`, other providers' have no parts.
  init(_ identifier: String) {
    let parts = Account.homeParts(of: identifier)
    self.identifier = identifier
    self.objectId = parts?.objectID
    self.tenantId = parts?.tenantID
  }

  /// Returns the ID itself, which is immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }
  /// Two IDs are equal if their UTF-8 bytes are.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? MSALAccountId)?.identifier.isIdentical(to: identifier) == true
  }
  /// Hashes what equality compares.
  public override var hash: Int { Array(identifier.utf8).hashValue }
}

/// An account in one tenant.
public final class MSALTenantProfile: NSObject, NSCopying, Sendable {
  private let profile: TenantProfile
  private let account: Account

  init(_ profile: TenantProfile, in account: Account) {
    self.profile = profile
    self.account = account
  }

  /// The account's object ID in that tenant.
  public var identifier: String? { profile.identifier }
  /// The provider's host.
  public var environment: String? { account.environment }
  /// The tenant's ID.
  public var tenantId: String? { profile.tenantID }
  /// Whether it is the account's home tenant.
  public var isHomeTenantProfile: Bool { profile.isHomeTenant }
  /// The claims of the newest ID token of that tenant; `nil` if the store has none.
  public var claims: [String: Any]? { profile.claims.isEmpty ? nil : profile.claims.mapValues(\.foundation) }

  /// Returns the profile itself, which is immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }
}

extension JSONValue {
  /// The value as Foundation's JSON parser returns it.
  var foundation: Any {
    switch self {
    case .null: NSNull()
    case .bool(let value): value
    case .number(let value): value.integer.map { Int($0) as Any } ?? value.double
    case .string(let value): value
    case .invalidString(let units): String(decoding: units, as: UTF16.self)
    case .array(let values): values.map(\.foundation)
    case .object(let values): values.mapValues(\.foundation)
    }
  }
}
