import MSAuthCore

/// What a user has granted an application, represented by a code and its tokens.
struct Grant: Sendable {
  /// Shared by all tokens of a sign-in, which are revoked together.
  var id: String
  var kind: ProviderKind
  var clientID: String
  var user: DemoUser
  var scopes: [String]
  var nonce: String?
  /// When the user last authenticated, in Unix time.
  var authTime: UnixTime
  /// `sid` in ID tokens.
  var sessionID: String
  var wantsClientInfo: Bool
  /// ID token claims requested by the `claims` parameter or `max_age`.
  var requestedClaims: Set<String>
  /// Access token claims requested by the `claims` parameter.
  var accessTokenClaims: Set<String> = []
  /// OpenID Connect Core §3.1.2.1.
  var acrValues: Set<String> = []
  /// The key that the grant is bound to (RFC 9449).
  var keyThumbprint: String?

  /// The issuer of its ID tokens, below the provider's address.
  func issuer(_ address: String) -> String {
    switch kind {
    case .oidc: "\(address)/oidc"
    case .adfs: "\(address)/adfs"
    case .entra: "\(address)/\(user.tenant.id)/v2.0"
    case .b2c(let tenant, let policy): "\(address)/tfp/\(tenant.id)/\(policy)/v2.0/"
    }
  }

  /// `sub`: pairwise (OpenID Connect Core §8.1), except at B2C.
  var subject: String {
    switch kind {
    case .b2c: user.objectID
    case .entra: SigningKeys.sha256("\(clientID)|\(user.objectID)|entra")
    case .adfs, .oidc: SigningKeys.sha256("\(clientID)|\(user.objectID)|oidc")
    }
  }

  /// At B2C, each user flow has its own account.
  var clientInfo: String {
    guard case .b2c(_, let policy) = kind else { return user.clientInfo }
    return DemoUser.clientInfo(user: "\(user.objectID)-\(policy)", tenant: user.tenant)
  }
}

struct PendingCode: Sendable {
  var grant: Grant
  var redirectURI: String
  /// The PKCE challenge, S256.
  var challenge: String
  /// Unix time.
  var expires: UnixTime
  var isUsed = false
}

struct LiveToken: Sendable {
  var grant: Grant
  /// Unix time.
  var expires: UnixTime
  /// Whether it was replaced; using it again indicates theft.
  var isUsed = false
}

/// A device that waits for a sign-in (RFC 8628).
struct PendingDevice: Sendable {
  enum Answer: Sendable {
    case none
    case allowed(Grant)
    case denied
  }

  var userCode: String
  var kind: ProviderKind
  var clientID: String
  var scopes: [String]
  var wantsClientInfo: Bool
  /// Unix time.
  var expires: UnixTime
  var lastPoll: UnixTime?
  var answer: Answer = .none
}

extension DemoUser {
  var clientInfo: String { Self.clientInfo(user: objectID, tenant: tenant) }

  fileprivate static func clientInfo(user: String, tenant: Tenant) -> String {
    let halves: JSONValue = ["uid": .string(user), "utid": .string(tenant.id)]
    return Base64URL.encode(halves.serialized())
  }
}
