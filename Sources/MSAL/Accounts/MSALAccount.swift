public import Foundation
import MSAuth

/// A person's account with one provider.
public final class MSALAccount: NSObject, NSCopying, Sendable {
  let record: Account
  private let isListed: Bool

  init(_ record: Account, isListed: Bool) {
    self.record = record
    self.isListed = isListed
  }

  /// The name the user knows.
  public var username: String? { record.username.isEmpty ? nil : record.username }
  /// The home account id, by which the account is found again.
  public var identifier: String? { record.identifier }
  /// The provider's host.
  public var environment: String { record.environment }
  /// The claims of the ID token that the account's home tenant issued; nil when there is none in the store.
  public var accountClaims: [String: Any]? { record.claims.isEmpty ? nil : record.claims.mapValues(\.foundation) }
  /// The account in each tenant; nil in a result, as in MSAL.
  public var tenantProfiles: [MSALTenantProfile]? {
    isListed ? record.tenantProfiles.map { MSALTenantProfile($0, in: record) } : nil
  }
  /// The parts of the home account id.
  public var homeAccountId: MSALAccountId? { MSALAccountId(record.identifier) }
  /// Whether the account came from a broker: never, on Linux.
  public var isSSOAccount: Bool { false }

  /// Returns the account itself, which never changes.
  ///
  /// - Parameter zone: Ignored, as everywhere.
  /// - Returns: The account.
  public func copy(with zone: NSZone? = nil) -> Any { self }
  /// Two records of one account are equal, whatever claims they carry.
  public override func isEqual(_ object: Any?) -> Bool { (object as? MSALAccount)?.record.id == record.id }
  /// Hashes what equality compares.
  public override var hash: Int { record.id.hashValue }
  /// The username and the environment.
  public override var description: String { "MSALAccount(\(username ?? "no username"), \(environment))" }
}

/// The parts of a home account id.
public final class MSALAccountId: NSObject, NSCopying, Sendable {
  /// The whole id.
  public let identifier: String
  /// The account's object id in its home tenant.
  public let objectId: String?
  /// The home tenant's id.
  public let tenantId: String?

  /// Reads a home account id; Microsoft's is `<object id>.<tenant id>`, another provider's has no parts.
  init(_ identifier: String) {
    let parts = identifier.split(separator: ".", omittingEmptySubsequences: false)
    let hasParts = parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
    self.identifier = identifier
    self.objectId = hasParts ? String(parts[0]) : nil
    self.tenantId = hasParts ? String(parts[1]) : nil
  }

  /// Returns the id itself, which never changes.
  ///
  /// - Parameter zone: Ignored, as everywhere.
  /// - Returns: The id.
  public func copy(with zone: NSZone? = nil) -> Any { self }
  /// Two ids are equal when their texts are.
  public override func isEqual(_ object: Any?) -> Bool { (object as? MSALAccountId)?.identifier == identifier }
  /// Hashes what equality compares.
  public override var hash: Int { identifier.hashValue }
}

/// An account as one tenant knows it.
public final class MSALTenantProfile: NSObject, NSCopying, Sendable {
  private let profile: TenantProfile
  private let account: Account

  init(_ profile: TenantProfile, in account: Account) {
    self.profile = profile
    self.account = account
  }

  /// The account's object id in that tenant.
  public var identifier: String? { profile.identifier }
  /// The provider's host.
  public var environment: String? { account.environment }
  /// The tenant's id.
  public var tenantId: String? { profile.tenantID }
  /// Whether it is the tenant that the account lives in.
  public var isHomeTenantProfile: Bool { profile.isHomeTenant }
  /// The claims of the newest ID token of that tenant; nil when there is none in the store.
  public var claims: [String: Any]? { profile.claims.isEmpty ? nil : profile.claims.mapValues(\.foundation) }

  /// Returns the profile itself, which never changes.
  ///
  /// - Parameter zone: Ignored, as everywhere.
  /// - Returns: The profile.
  public func copy(with zone: NSZone? = nil) -> Any { self }
}

extension JSONValue {
  /// The value as Foundation's JSON reader would give it.
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
